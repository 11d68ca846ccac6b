import type { Input, Output, Shape } from './operations.ts'
import type { RequestOptions, Transport } from './transport.ts'

export type GroupQuery = Omit<NonNullable<Input<'listGroups'>['query']>, 'cursor'>

/** Groups of people that access policies name by their ID. */
export class Groups {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Every group, newest first, each with its first 100 members. Pages are read as needed. */
  async *list(query: GroupQuery = {}, options?: RequestOptions): AsyncGenerator<Shape<'Group'>, void> {
    let cursor: string | null = null
    do {
      const from = cursor === null ? query : { ...query, cursor }
      const page: Output<'listGroups'> = await this.#transport.call('listGroups', { query: from }, options)
      yield* page.groups
      cursor = page.nextCursor
    } while (cursor !== null)
  }

  /** A group with all its members. */
  async get(id: string, options?: RequestOptions): Promise<Shape<'Group'>> {
    return (await this.#transport.call('getGroup', { path: { groupId: id } }, options)).group
  }

  /** Creates a group, or replaces its members. */
  async put(id: string, group: Input<'putGroup'>['body'], options?: RequestOptions): Promise<Shape<'Group'>> {
    return (await this.#transport.call('putGroup', { path: { groupId: id }, body: group }, options)).group
  }

  /** Deletes a group. A retry may find it already deleted (404). */
  delete(id: string, options?: RequestOptions): Promise<Output<'deleteGroup'>> {
    return this.#transport.call('deleteGroup', { path: { groupId: id } }, options)
  }
}
