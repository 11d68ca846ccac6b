/** The requirements of the memory canvas by id. */
export const CANVAS_REQUIREMENTS: Record<string, string> = {
  'CANVAS-1':
    'GET /v1/memory-canvas returns nodes (id, kind, type, label, provider, weight), edges (id, source, target, type, weight), generatedAt, complete and itemsWaiting. Entities are people, organizations, channels and topics; edges are authored, mentions, posted_in and co_occurs, weighted by the number of their items.',
  'CANVAS-2':
    'itemsWaiting counts stored items that are not read yet, while complete is false; another process continues the work of a dead one.',
  'CANVAS-3': 'q finds entities by the beginnings of names and aliases, or by meaning if no name matches.',
  'CANVAS-4': 'provider, entityType, around, since and limit filter the graph; edges connect its nodes.',
  'CANVAS-5':
    'limit is an integer from 1 to 500, 100 by default; an invalid parameter returns 400, an unknown node in around 404.',
  'CANVAS-6': 'The same data gives the same graph, in any order of arrival.',
  'CANVAS-7': 'A deletion shows immediately, and nothing remains that only deleted items contained.',
  'CANVAS-8': 'The same applies to a removed source.',
  'CANVAS-9':
    'Ingesting the same content again changes nothing; changed content replaces the former content.',
  'CANVAS-10':
    'The canvas requires memory:read or any role and costs no credit; the console route returns the same.',
  'CANVAS-11': 'Names, addresses and handles become one person if items in scope show it, with the evidence.',
  'CANVAS-12': 'A name that several addresses use belongs to none of them.',
  'CANVAS-13': "No node, weight, label, merge or edge depends on items outside the key's scope.",
  'CANVAS-14':
    'GET /v1/memory-canvas/entities/{id} returns the entity with its names, weight, first and last mention, its neighbors, and the latest items that name it, with a passage.',
  'CANVAS-15': 'filter.entityId limits search and context to items that name the entity by any of its names.',
}
