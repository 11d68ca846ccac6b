/** The requirements of the console's routes by id. */
export const CONSOLE_REQUIREMENTS: Record<string, string> = {
  'CON-1': 'GET /v1/console/me returns user and organizations.',
  'CON-2':
    'Creating a workspace returns 201 and makes the caller its owner; without a payment processor it is internal.',
  'CON-3': "The workspace is the person's only one, or the one that X-Organization-Id names.",
  'CON-4': 'Members can search and ask; keys, sources, billing and audit require admin.',
  'CON-5': 'Console routes respond like their agent counterparts.',
  'CON-6': 'A workspace that the person does not belong to looks like a missing one.',
  'CON-7': 'An admin can rename the workspace.',
  'CON-8': 'Every member of a workspace sees its members, with id, name, email, role and joinedAt.',
  'CON-9':
    'Owners manage all roles; admins manage admins and members. Anyone can leave, except the last owner, also under concurrent requests.',
  'CON-10':
    "A removed member's next request is refused, and they cannot return by an open invitation of theirs or for their address; keys they created keep working.",
  'CON-11':
    'An invitation is a link with a secret of 256 bits. It is valid for one person, once, for seven days, and only its hash is stored.',
  'CON-12':
    'An invitation for an address can be accepted only by a person whose identity provider confirms the address.',
  'CON-14': 'Removing a source first shows an exact count of what it would delete.',
  'CON-15':
    'The overview counts items, passages and items that the canvas has not read, per source and in total, up to a stated limit.',
  'CON-16': "An admin sees the workspace's requests for gated providers and their status.",
  'CON-17': 'Admins push and delete documents in the console as keys do.',
  'CON-18':
    'An admin uploads a file, whose text is searchable when the call returns; an unreadable file is refused with the reason, and nothing is stored.',
  'CON-19':
    'An admin lists the runs of all sources or of one, newest first, in pages; a source of another workspace has none.',
  'CON-20': "An admin sees each live key's requests per action in the last minute, with the limit.",
  'CON-21':
    'A person can read, rate and delete only their own threads; the trail has no text of them, and they are deleted when the person leaves.',
  'CON-22':
    "An admin lists the requests of the workspace's keys, served or refused, filtered by key, status and path; nobody else can, and they contain no content.",
  'CON-23':
    'Admins store questions with known answers and run them, separately for each workspace; a question is stored once, and a changed page or fact discards its last measurement.',
  'CON-24':
    'A stored answer of a run is withheld from people who may not read everything it is made from, cited or not, and the trail has no text of questions and answers.',
  'CON-25':
    'A person can add a question from their own threads to the evaluation after rating its answer; admins see only the question and the rating.',
  'CON-30':
    'An admin sees which models are set and by which variable, never a secret or an address, and can call each once with a deadline; a failure says what to do.',
  'CON-31':
    'Events of one action and actor, each within ten minutes of the next, form one group, whose count holds across pages.',
  'CON-32':
    'Before joining, the holder of a link sees the workspace, the inviter, the role and the address that it is for.',
  'CON-13': 'A workspace has at most 1,000 members and 100 open invitations: 409 with the number.',
}
