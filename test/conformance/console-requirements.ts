/** The requirements of the console's routes by id. */
export const CONSOLE_REQUIREMENTS: Record<string, string> = {
  'CON-1': 'GET /v1/console/me answers user and organizations.',
  'CON-2':
    'Making a workspace answers 201 and makes the caller its owner; it is internal without a payment processor.',
  'CON-3': 'The workspace is the only one the person has, or the one that X-Organization-Id names.',
  'CON-4': 'Members search and ask; keys, sources, billing and audit need admin.',
  'CON-5': 'Console routes answer as their agent twins do.',
  'CON-6': "A workspace that is not the person's answers as one that does not exist.",
  'CON-7': 'An admin renames the workspace.',
  'CON-8': 'Every member of a workspace sees its members, with id, name, email, role and joinedAt.',
  'CON-9':
    'Owners manage all roles, admins manage admins and members. Anyone may leave, but the last owner stays, also under concurrent requests.',
  'CON-10':
    'A removed member is refused with the next request and cannot return by their own invitation; keys they created keep working.',
  'CON-11':
    'An invitation is a link with a secret of 256 bits. It is valid for one person, once, for seven days, and only its hash is stored.',
  'CON-12':
    'An invitation for an address is accepted only from a person whose identity provider confirms the address.',
  'CON-14': 'What removing a source would delete is counted first, exactly.',
  'CON-15':
    'The overview counts items, passages and what the canvas has not read, of each source and in all, up to where it says that counting stops.',
  'CON-16': "An admin sees the workspace's requests for gated providers and how far they are.",
  'CON-17': 'Admins push and remove documents in the console as keys do.',
  'CON-18':
    'An admin hands in a file, whose text is searchable when the call returns; one that cannot be read is refused with the reason, and nothing is stored.',
  'CON-19':
    'An admin reads the runs of all sources or of one, page by page from the newest to the first; a source of another workspace has none.',
  'CON-20':
    'An admin sees what each live key of the workspace sent for each action in the last minute, beside the limit.',
  'CON-21':
    'A person reads, rates and deletes their own threads only; the trail has no text of them, and they are deleted when the person leaves.',
  'CON-22':
    "An admin reads the requests of the workspace's keys, served or refused, filtered by key, status and path; nobody else does, and no content is in them.",
  'CON-23':
    'Admins keep questions with known answers and runs of them, one workspace apart from another; a question is stored once, and a changed page or fact discards its last measurement.',
  'CON-24':
    'A stored answer of a run is withheld from people who may not read everything it cites, and the trail has no text of questions and answers.',
  'CON-25':
    'A person adds a question of their own threads to the evaluation once they have rated its answer; admins see the question and the rating, and nothing else of the thread.',
  'CON-30':
    'An admin sees which models are set and by which variable, never a secret or an address, and calls each once with a deadline; a failure says what to do.',
  'CON-31':
    'Events of one action and actor that follow each other within ten minutes are one group, whose count holds across pages.',
  'CON-32':
    'Whoever holds a link is shown the workspace, the inviter, the role and the address that it is for, before they join.',
  'CON-13': 'At most 1,000 members and 100 open invitations: 409 with the number.',
}
