/** The requirements of the memory canvas by id. */
export const CANVAS_REQUIREMENTS: Record<string, string> = {
  'CANVAS-1':
    'GET /v1/memory-canvas answers nodes (id, kind, type, label, provider, weight), edges (id, source, target, type, weight), generatedAt, complete and itemsWaiting; entities are people, organizations, channels and topics; edges are authored, mentions, posted_in and co_occurs, weighed by the items behind them.',
  'CANVAS-2':
    'itemsWaiting counts stored items that are not read yet, and complete is false; the next reader continues the work of a dead process.',
  'CANVAS-3':
    'q finds by name and alias, as far as a name begins so, and by meaning where nothing has the name.',
  'CANVAS-4': 'provider, entityType, around, since and limit narrow the graph; edges are between its nodes.',
  'CANVAS-5':
    'limit is an integer from 1 to 500, 100 when not said; a wrong parameter is 400, an unknown node in around 404.',
  'CANVAS-6': 'The same data gives the same graph, whatever order it came in.',
  'CANVAS-7': 'A deletion shows at once, and nothing is kept of what stood only in what was deleted.',
  'CANVAS-8': 'The same of a removed source.',
  'CANVAS-9':
    'A re-ingest of the same content changes nothing; changed content takes the place of the former.',
  'CANVAS-10':
    'The canvas needs memory:read or any role and costs no credit; the console twin answers the same.',
  'CANVAS-11':
    'Names, addresses and handles are one person where items in scope say so, and their evidence is shown.',
  'CANVAS-12': 'A name that several addresses go by belongs to none of them.',
  'CANVAS-13':
    "Nothing of the canvas rests on items out of the key's scope: no node, weight, label, merge or edge.",
  'CANVAS-14':
    'GET /v1/memory-canvas/entities/{id} shows the entity with its names, weight, first and last seen, its neighbours and the latest items that name it, with a passage.',
  'CANVAS-15': 'filter.entityId keeps search and context to items that name the entity by any of its names.',
}
