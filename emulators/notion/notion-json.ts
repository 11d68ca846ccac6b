import { randomOf, pick } from '../kit/seed.ts'
import { richText } from './notion-blocks.ts'
import { databaseIdOf, type EmulatedObject, type NotionEmulatorState } from './notion-state.ts'

const iso = (time: number) => new Date(time).toISOString()
const urlOf = (id: string) => `https://www.notion.so/${id.replaceAll('-', '')}`

/** A page or data source in the API's form (developers.notion.com/reference/page, …/data-source). */
export function objectJson(state: NotionEmulatorState, object: EmulatedObject): Record<string, unknown> {
  const parent = object.parentId === null ? undefined : state.objects.get(object.parentId)
  const common = {
    object: object.kind,
    id: object.id,
    created_time: iso(object.createdAt),
    last_edited_time: iso(object.editedAt),
    created_by: { object: 'user', id: object.createdBy },
    last_edited_by: { object: 'user', id: object.createdBy },
    in_trash: object.inTrash,
    archived: object.inTrash,
    is_archived: false,
    is_locked: false,
    icon: null,
    cover: null,
    url: urlOf(object.id),
    public_url: state.isPublic(object) ? `https://acme.notion.site/${object.id.replaceAll('-', '')}` : null,
  }
  if (object.kind === 'data_source') {
    return {
      ...common,
      title: richText(object.title),
      description: richText(state.contentOf(object).split('\n')[1] ?? ''),
      parent: { type: 'database_id', database_id: databaseIdOf(object.id) },
      database_parent: pageParent(object),
      is_inline: false,
      properties: {
        Name: { id: 'title', name: 'Name', type: 'title', title: {}, description: null },
        Status: {
          id: 'stat',
          name: 'Status',
          type: 'status',
          status: { options: [], groups: [] },
          description: null,
        },
      },
    }
  }
  const isRow = parent?.kind === 'data_source'
  return {
    ...common,
    parent: isRow
      ? { type: 'data_source_id', data_source_id: parent.id, database_id: databaseIdOf(parent.id) }
      : pageParent(object),
    properties: isRow
      ? { Name: titleProperty(object.title), Status: statusProperty(object) }
      : { title: titleProperty(object.title) },
  }
}

const pageParent = (object: EmulatedObject) =>
  object.parentId === null
    ? { type: 'workspace', workspace: true }
    : { type: 'page_id', page_id: object.parentId }

const titleProperty = (title: string) => ({ id: 'title', type: 'title', title: richText(title) })

function statusProperty(object: EmulatedObject): Record<string, unknown> {
  const name = pick(randomOf('status', object.id), ['Not started', 'In progress', 'Done'])
  return { id: 'stat', type: 'status', status: { id: name, name, color: 'default' } }
}

/** The database of a data source in the API's form. */
export function databaseJson(object: EmulatedObject): Record<string, unknown> {
  return {
    object: 'database',
    id: databaseIdOf(object.id),
    title: richText(object.title),
    description: [],
    parent: pageParent(object),
    is_inline: false,
    in_trash: object.inTrash,
    archived: object.inTrash,
    is_locked: false,
    created_time: iso(object.createdAt),
    last_edited_time: iso(object.editedAt),
    data_sources: [{ id: object.id, name: object.title }],
    icon: null,
    cover: null,
    url: urlOf(databaseIdOf(object.id)),
    public_url: null,
  }
}

/** A page's enhanced Markdown: its content, then its subpages and databases as tags. */
export function markdownOf(state: NotionEmulatorState, object: EmulatedObject): string {
  const tags = state
    .children(object.id)
    .map((child) =>
      child.kind === 'page'
        ? `<page url="${urlOf(child.id)}">${child.title}</page>`
        : `<database url="${urlOf(databaseIdOf(child.id))}" inline="false" data-source-url="collection://${child.id}">${child.title}</database>`,
    )
  return [state.contentOf(object), ...tags].join('\n')
}
