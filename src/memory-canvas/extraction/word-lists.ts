import { fold } from './identity.ts'

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/).filter((word) => word !== ''))
const foldedWordsOf = (text: string): ReadonlySet<string> => new Set([...wordsOf(text)].map(fold))

/** Given names that mark a person's name in a text, in lower case without accents. */
export const GIVEN_NAMES = wordsOf(`
  aaron abigail adam adrian agnes ahmed aisha alan albert alex alexander alexandra alexis alice alicia alina amanda amelia amir
  amy ana anders andre andrea andreas andrew andy angela anita anna anne annette anthony antonio anya arjun arthur ashley astrid
  barbara beatrice ben benjamin bernard beth bianca bjorn bob boris brandon brenda brian bruno caleb camila carl carla carlos
  carmen carol caroline catherine cecilia chad charles charlotte chen chloe chris christian christina christine christopher clara
  claire claudia colin connor cristina daniel daniela dave david dawn deborah denise dennis derek diana diane diego dmitri dominic
  donald donna dora doris dorothy douglas duncan edith eduardo edward elena eleanor elias elif elisa elizabeth ella ellen emil
  emily emma enrique eric erica erik erin ethan eva evan eve evelyn fabian farah fatima felix fiona florian francesca francesco
  francis frank franz fred frederik gabriel gabriela gareth gary george gerald gina giulia giovanni gloria gordon grace graham
  greg gregory greta guido gunther gustav hana hannah hans harald harold harry hassan heather heidi heinrich helen helena henrik
  henry hiroshi hugo ian ibrahim ida igor ines ingrid irene iris isaac isabel isabella ivan jack jacob jacqueline jake james jamie
  jan jane janet jason javier jean jeff jeffrey jennifer jenny jens jeremy jesse jessica jill jim jo joan joanna joao joe joel
  johan johanna johannes john jonas jonathan jordan jorge jose josef joseph joshua juan judith julia julian julie jun jurgen
  karen karin karl kasper kate katherine kathleen katja katrin kavya keith kelly ken kenji kenneth kevin kim klaus kristin kyle
  lara larry lars laura lauren lea leah lena leo leon leonard lewis liam lily linda lisa liz lorenzo louis louise luca lucas lucia
  lucy luis lukas luke lydia magnus manuel marc marcel marco marcus margaret maria marie marina mario mark markus marta martha
  martin mary mateo mathias matt matthew maurice max maya megan mei melanie melissa mia michael michelle miguel mike mila mina
  miriam mohamed mohammed molly monica monika morgan nadia nadine naomi natalia natalie natasha nathan neil niamh nicholas nick
  nicole niklas nils nina noah noor nora norman olaf oleg olga oliver olivia omar oscar otto pablo pamela pascal patricia patrick
  paul paula pauline pavel pedro peter petra philip philipp phillip pierre pia piotr priya quentin rachel rafael rahul rainer raj
  ralph ramon raquel raul ravi ray rebecca regina renate rene ricardo richard rita robert roberto robin roger roland roman ronald
  rosa rose roxana ruben rupert russell ruth ryan sabine sally sam samantha samir samuel sandra sanjay sara sarah scott sean
  sebastian sergei sergio shannon sharon silvia simon simone sofia sonia sophia sophie stefan stefanie stella stephan stephanie
  stephen steve steven stuart sunita susan susanne suzanne sven svetlana sylvia tamara tanya tara tariq teresa theo theresa thomas
  tiffany tim timothy tina tobias todd tom tomas tony tracy ulrich ulrike ursula valentina valerie vanessa vera veronica victor
  victoria vijay viktor vincent viola virginia vivian vladimir walter wanda wei wendy werner wilhelm will william wolfgang xavier
  yan yasmin yosef yuki yusuf yvonne zach zara zoe ada alan grace linus edsger barbara`)

/** Further given names, which count only before a family name: alone they may be anything. */
export const LESS_COMMON_GIVEN_NAMES = wordsOf(`
  abdullah abdul adele aditya adriana agata agnieszka ahmad akash akira aleksandra alejandro alejandra alessandro alessandra alvaro amara
  amina amit amrita ananya anastasia andrzej angelika anil anika anjali ankit annika antoine antonia arash arnaud ashok aurelie axel ayaka
  ayesha aylin ayse baptiste bartosz beata benedikt benoit berit bernd birgit bogdan branko britta burak camille carolina cedric celine
  chiara chidi chiamaka chinedu chika claudio clemens cornelia damian damien daisuke dario dariusz deepa deepak delphine devika dilip
  dimitri dinesh dmitry dorota dragan ebru ekaterina elisabeth elise elodie emeka emilia emilie emilio emmanuel emre ernesto estelle eszter
  eugenia ewa fabienne fabio fabrice farhan farid fatih fatma federica federico felipe femi ferdinand fernanda fernando filip flavia
  francois francoise friedrich funmi gaelle ganesh gerhard gianluca gilles giorgio gisela goran gonzalo guillaume guillermo gunnar gustavo
  halina hamid hanna hannes harini haruka haruki hasan hatice heike helga hiro hiroko hussein ilaria ilona imran ingeborg ismail itziar
  ivana iwona jacek jakob jakub jana janusz jarek jaume jelena jerzy jiri joana joaquin jochen jorg julien juliette jussi kaito kamil karim
  karolina karthik kasia katarina katarzyna katharina kaori kayode keiko kemal kemi khalid kiran kirsten konrad krishna krzysztof kunal kwame
  lakshmi laszlo leandro leila leonardo leonie leticia lieselotte lorena luana lucie luigi lukasz maciej magda magdalena mahmoud malik manfred
  manish manoj manuela marek margarita mariam mariana mariano mariusz marko marlene mateusz matteo matthias matthieu mauricio mehmet meera
  meryem michal michele michiko miguel mihai mikael milena milica milos minh mirko mohamad mohan monique moritz muhammad murat mustafa nabil
  nadja naoko naoki natasa neha nikhil nikita nikola nikolai nikos ngozi nisha nuria odile olena olivier oriol oyvind paolo patrice patrik
  pawel pekka petra piero pilar pooja pradeep prakash pranav prasad priyanka raffaele ragnar rajesh rakesh ramesh rania raphael rashid
  ravindra reinhard rekha renata rohan rohit rosario sabina sabrina sachin saeed sakura salma salvatore sandeep sandrine sanjeev saskia
  satoshi selma sergey serkan shankar shreya sigrid silke silvio slawomir snezana srinivas stanislav stefania stefano steffen suresh
  swati szymon tadeusz takeshi takumi tanja tarek tatiana tatjana thiago thibault thierry thorsten tiago tomasz tomoko torben torsten
  tunde umberto vaclav valeria valerio vasile vicente vikram vincenzo vivek vladislav vojtech volker walid waltraud wojciech yannick yash
  yoko yoshiko youssef yulia yuri yves zahra zainab zbigniew zeynep zofia zoltan`)

/** Mailboxes and names that belong to no person. */
export const NO_PERSON = wordsOf(`
  abuse accounting accounts admin administrator alerts all announce api app apps billing bot bots build calendar careers ci comments
  contact customer daemon do donotreply dev digest everyone feedback finance github gitlab google hello help helpdesk hr info inbox
  invoices it jira jobs legal list lists mail mailer mailing marketing me media messages news newsletter no noreply notification
  notifications notify office operations ops orders payments postmaster press privacy purchasing reception recruiting reply root
  sales security service services slack slackbot social staff status store subscriptions success support system systems team teams
  updates unknown webmaster website welcome workflow zapier zoom`)

/** Providers of private mailboxes, whose domain is not an employer's. */
export const PUBLIC_MAIL = wordsOf(`
  gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com yahoo.co.uk icloud.com me.com mac.com aol.com gmx.de
  gmx.net web.de t-online.de proton.me protonmail.com mail.com mail.ru yandex.ru qq.com 163.com zoho.com fastmail.com posteo.de
  hey.com pm.me google.com users.noreply.github.com docs.google.com`)

export const PLACEHOLDER_DOMAINS = wordsOf(
  'business company domain email employer example firm host hostname organisation organization placeholder sample site website',
)

export const PLACEHOLDER_PEOPLE: ReadonlySet<string> = new Set([
  'jane doe',
  'john doe',
  'jane smith',
  'john smith',
  'joe bloggs',
  'max mustermann',
  'erika mustermann',
])

export const NAME_PARTICLES = wordsOf(
  'al ap ben bin da dal de del della delle den der di do dos du el ibn la le ten ter van vom von zu zum',
)

/** Last words of job titles, which are neither people nor topics. */
export const JOBS = wordsOf(`
  administrator advisor analyst architect assistant associate consultant coordinator designer developer director engineer executive
  head intern lead manager officer partner president principal recruiter representative scientist specialist supervisor`)

/** Words for a person right before the name. */
export const PERSON_NOUNS = wordsOf(`
  author boss cofounder colleague coworker director doctor engineer founder inventor maintainer mentor president professor researcher
  scientist spokesperson speaker teammate`)

/** Words that identify a German paragraph, where every noun is capitalized. */
export const GERMAN = wordsOf(
  'und der die das den dem ein eine einen ich wir sie mit ist sind nicht für auf von zu im es auch bitte wird haben',
)

/** Second-level labels of registrable domains with three parts: `corp.co.uk`. */
export const SECOND_LEVELS = wordsOf('co com ac org net gov edu or ne go')

export const COMPANY_ENDS = wordsOf(
  'inc ltd llc gmbh corp corporation limited plc ag llp bv oy ab pty srl sarl sas kg ug se nv spa incorporated',
)

/** Capitalized words and headings that are no topic by themselves, in the form of `fold`. */
export const GENERIC = foldedWordsOf(`
  monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april may june july
  august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm utc gmt cet est pst
  today tomorrow yesterday tonight morning afternoon evening noon week weeks weekend month months quarter year years day days hour
  hours minute minutes q1 q2 q3 q4 h1 h2 fy faq todo note notes tip tips warning caution important info example examples overview
  introduction summary background context goal goals purpose scope conclusion appendix agenda minutes attendees action actions items
  next steps step details detail description usage install installation options option parameters parameter arguments returns return
  contents table contributing license licence changelog readme references reference see more about general misc other section
  chapter page figure version versions prerequisites requirements requirement features feature known issues issue questions question
  answer answers q a getting started quick start guide tutorial api-reference hi hello hey thanks thank regards best cheers dear sincerely kind
  warm yes no ok okay lol fyi asap btw imo imho re fw fwd cc bcc subject from to sent date name title status owner type
  english german french spanish dutch italian i im ive id ill dont its thats lets new old first last second third
  total link links click here untitled draft copy document documents file files folder folders meeting meetings call email mail emails
  message messages update updates team teams people person everyone someone anyone nobody company office customer customers user users
  manager managers employee employees plus minus true false null undefined none string number boolean object array function class const let var
  json xml html css http https url uri www com org net md txt pdf png svg jpg csv yaml yml sql ui ux id ids eg ie etc vs tbd tba n/a
  api apis cpu ram ide cli sdk pr prs mit lts ci os id ids awesome security senior vision junior ceo cto cfo coo vp hr it qa pr ai usd eur gbp kb mb gb tb ms kpi kpis usa uk eu us america europe germany france spain india china japan
  london berlin paris york tokyo sydney sir mr mrs ms dr prof step-by-step why what how when where who which do don't not please
  director directors promise reward rewards sdks sale sales supplier suppliers headcount handover europe austria switzerland bonjour
  herr frau hallo danke liebe lieber beste viele grüße gruesse signed fixed merged attached closing lost`)

/** The same, including some family names, which are no topic with a number either (`Sheet1`). */
export const NO_TOPIC = foldedWordsOf(`
  whoever whomever whatever whichever whenever wherever however whose whereas elsewhere somewhere anywhere nowhere someday
  anything everything nothing something otherwise meanwhile furthermore moreover nevertheless therefore hence besides likewise
  invoice invoices receipt receipts quote quotation spreadsheet spreadsheets worksheet memo memos checklist checklists reminder
  menu menus synopsis superseded supersedes supersede toc navigation breadcrumb
  topic topics due cost costs amount amounts price prices priority deadline assignee owners sheet sheets slide slides tab page
  bearer row rows column columns blatt tabelle folie seite feuille hoja pagina get head put post patch delete
  kib mib gib tib pib kbit mbit gbit kbps mbps gbps hz khz mhz ghz kw kwh mw mah ml mm cm km kg mg sqm sqft
  bonjour merci cordialement salutations hola gracias saludos atentamente ciao grazie saluti servus moin`)
