/** The layers, as import rules. Tests may reach into anything. */

const PLATFORM =
  '(kernel|text|file-text|database|http|inference|background|mail|tracing|vector-scan|guarded-requests)'
const NOT_TESTS = '\\.test\\.ts$'

/** Folders of adapters behind one port; the factory is `create-….ts` in it, or a file of the folder above. */
const ADAPTER_FOLDERS = [
  'src/database/drivers',
  'src/inference/embedding-models',
  'src/inference/language-models',
  'src/billing/stripe',
]

/** Code that the console uses too; `scripts/tasks/console.mjs` names it. */
const SHARED_WITH_CONSOLE =
  '^(cli/evaluation/(measure|read-questions)|src/(audit/action-words|billing/plans/plans|console/page-config|database/schema-words|file-text/(limits|text-format)|kernel/(limits|retention)))\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'kernel-stands-alone',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: NOT_TESTS },
      to: { path: '^src/(?!kernel/)' },
    },
    {
      name: 'text-stands-on-the-kernel-alone',
      severity: 'error',
      from: { path: '^src/text/', pathNot: NOT_TESTS },
      to: { path: '^src/(?!(kernel|text)/)' },
    },
    {
      name: 'platform-knows-no-domain',
      severity: 'error',
      from: { path: `^src/${PLATFORM}/`, pathNot: NOT_TESTS },
      to: { path: `^src/(?!${PLATFORM}/)` },
    },
    {
      name: 'slices-meet-at-their-index',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: [NOT_TESTS, '^src/process/'] },
      to: { path: `^src/(?!${PLATFORM}/)[^/]+/`, pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'nobody-knows-the-assembly',
      severity: 'error',
      from: { path: '^src/', pathNot: [NOT_TESTS, '^src/(assembly|process)/', '^src/main\\.ts$'] },
      to: { path: '^src/(assembly|process)/' },
    },
    {
      name: 'the-assembly-starts-no-process',
      severity: 'error',
      from: { path: '^src/assembly/', pathNot: NOT_TESTS },
      to: { path: '^src/process/' },
    },
    {
      // What it announces is the service that the assembly has started.
      name: 'the-process-knows-no-slice',
      severity: 'error',
      from: { path: '^src/process/', pathNot: NOT_TESTS },
      to: {
        path: '^src/',
        pathNot: ['^src/(process|kernel)/', '^src/(config|assembly/(service|console-identity))\\.ts$'],
      },
    },
    {
      name: 'main-takes-service-and-process',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(config\\.ts$|assembly/service\\.ts$|process/)' },
    },
    {
      name: 'settings-are-read-on-top',
      severity: 'error',
      from: { path: '^src/', pathNot: [NOT_TESTS, '^src/(assembly|process)/', '^src/main\\.ts$'] },
      to: { path: '^src/config\\.ts$' },
    },
    {
      name: 'providers-know-no-slice',
      severity: 'error',
      from: { path: '^src/providers/', pathNot: NOT_TESTS },
      to: { path: '^src/(?!(kernel|text|file-text|database|guarded-requests|providers)/)' },
    },
    {
      name: 'a-provider-through-the-catalog',
      severity: 'error',
      from: { path: '^src/', pathNot: [NOT_TESTS, '^src/providers/[^/]+/', '^src/providers/catalog\\.ts$'] },
      to: { path: '^src/providers/[^/]+/' },
    },
    {
      name: 'providers-know-not-each-other',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/', pathNot: NOT_TESTS },
      to: { path: '^src/providers/[^/]+/', pathNot: '^src/providers/$1/' },
    },
    ...ADAPTER_FOLDERS.map((folder) => ({
      name: `${folder.replace(/^src\//, '').replace('/', '-')}-through-their-factory`,
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [NOT_TESTS, `^${folder}/`, `^${folder.replace(/\/[^/]+$/, '')}/[^/]+\\.ts$`],
      },
      to: { path: `^${folder}/`, pathNot: '/create-[^/]+\\.ts$' },
    })),
    {
      name: 'file-text-stands-on-text-alone',
      severity: 'error',
      from: { path: '^src/file-text/', pathNot: NOT_TESTS },
      to: { path: '^src/(?!(kernel|text|file-text)/)' },
    },
    {
      name: 'file-text-by-its-index',
      severity: 'error',
      from: { path: '^(src|cli)/', pathNot: [NOT_TESTS, '^src/file-text/'] },
      to: { path: '^src/file-text/', pathNot: '^src/file-text/index\\.ts$' },
    },
    {
      // The command line is a client of the HTTP API; it shares limits with the service, and what reads files and DATA_DIR of a stopped one.
      name: 'command-line-takes-files-only',
      severity: 'error',
      from: { path: '^cli/', pathNot: NOT_TESTS },
      to: { path: '^src/', pathNot: '^src/((file-text|backup)/index|kernel/limits)\\.ts$' },
    },
    {
      // It is a package that others install: no other package, and no module of Node.
      name: 'client-stands-alone',
      severity: 'error',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'client-by-its-index',
      severity: 'error',
      from: { pathNot: '^client/' },
      to: { path: '^client/', pathNot: '^client/src/index\\.ts$' },
    },
    {
      // They stand for servers of others, so what they have in common with the service is its wire alone.
      name: 'emulators-know-no-service',
      severity: 'error',
      from: { path: '^emulators/', pathNot: NOT_TESTS },
      to: { path: '^src/' },
    },
    {
      name: 'training-takes-the-built-in-model-only',
      severity: 'error',
      from: { path: '^training/', pathNot: NOT_TESTS },
      to: { path: '^src/', pathNot: '^src/(inference/embedding-models/builtin/|kernel/seeded-random\\.ts$)' },
    },
    {
      name: 'evaluation-takes-slices-by-their-index',
      severity: 'error',
      from: { path: '^evaluation/', pathNot: NOT_TESTS },
      to: { path: `^src/(?!${PLATFORM}/)[^/]+/`, pathNot: '^src/[^/]+/index\\.ts$' },
    },
    {
      // It measures a process from outside; what it takes makes its load, signs its events and fills its database.
      name: 'bench-measures-from-outside',
      severity: 'error',
      from: { path: '^bench/', pathNot: NOT_TESTS },
      to: {
        path: '^src/',
        pathNot:
          '^src/(inference/embedding-models/builtin/builtin|items/(chunk-text|index)|models/index|providers/slack/webhook|kernel/clock|memory-canvas/index|database/(database|open-database|drivers/postgres)|(access|organizations|sources)/index)\\.ts$',
      },
    },
    {
      name: 'the-service-knows-no-tool',
      severity: 'error',
      from: { path: '^src/', pathNot: NOT_TESTS },
      to: { path: '^(cli|client|emulators|bench|evaluation|simulation|training|scripts)/' },
    },
    {
      name: 'tools-know-not-each-other',
      severity: 'error',
      from: { path: '^(cli|emulators|evaluation|training)/', pathNot: NOT_TESTS },
      to: { path: '^(cli|emulators|bench|evaluation|training|scripts|test)/', pathNot: '^$1/' },
    },
    {
      // A page of a browser: of the service it knows the wire alone, by types that are generated.
      name: 'console-knows-no-service',
      severity: 'error',
      from: { path: '^console/', pathNot: NOT_TESTS },
      to: {
        path: '^(src|cli|emulators|bench|evaluation|training|scripts|test)/',
        pathNot: SHARED_WITH_CONSOLE,
      },
    },
    {
      name: 'shared-with-console-stands-alone',
      severity: 'error',
      from: { path: SHARED_WITH_CONSOLE },
      to: { pathNot: SHARED_WITH_CONSOLE },
    },
    {
      name: 'console-kit-knows-no-page',
      severity: 'error',
      from: { path: '^console/src/(ui|api)/', pathNot: NOT_TESTS },
      to: { path: '^console/src/(shell|pages|data|session)/' },
    },
    {
      name: 'console-session-knows-no-page',
      severity: 'error',
      from: { path: '^console/src/session/', pathNot: NOT_TESTS },
      to: { path: '^console/src/(shell|pages|data)/' },
    },
    {
      name: 'console-data-knows-no-page',
      severity: 'error',
      from: { path: '^console/src/data/', pathNot: NOT_TESTS },
      to: { path: '^console/src/(shell|pages)/' },
    },
    {
      name: 'console-pages-know-no-shell',
      severity: 'error',
      from: { path: '^console/src/pages/', pathNot: NOT_TESTS },
      to: { path: '^console/src/shell/' },
    },
    {
      name: 'no-test-code-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: NOT_TESTS },
      to: { path: '(^test/|\\.test\\.ts$)' },
    },
    {
      name: 'no-development-packages-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: NOT_TESTS },
      // The local model's runtime is optional: whoever wants it installs it.
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@huggingface/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
