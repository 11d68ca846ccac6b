import { tokenize } from './tokenize.ts'

/** Function words of other languages from the Snowball lists (BSD-3-Clause), without accents and English words. */
const WORDS = [
  // German
  `aber alle allem aller alles als also am an ander andere anderem anderen anderer anderes anderm
   andern anderr anders auch auf aus bei bis bist da damit dann der des dem das dass dazu dein deine
   deinem deinen deiner deines denn derer dessen dich du diese diesem diesen dieser dieses doch dort
   durch ein eine einem einen einer eines einig einige einigem einigen einiger einiges einmal er ihn
   ihm es etwas euer eure eurem euren eurer eures gegen gewesen hab habe haben hatte hatten hier hin
   hinter ich mich mir ihr ihre ihrem ihren ihrer ihres euch im indem ins ist jede jedem jeden jeder
   jedes jene jenem jenen jener jenes jetzt kann kein keine keinem keinen keiner keines konnen
   konnte machen manche manchem manchen mancher manches mein meine meinem meinen meiner meines
   musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines
   selbst sich sie ihnen sind so solche solchem solchen solcher solches soll sollte sondern sonst
   uber um und uns unse unsem unsen unser unses unter viel vom von vor wahrend waren warst was weg
   weil weiter welche welchem welchen welcher welches wenn werde werden wie wieder wir wird wirst wo
   wollen wollte wurde wurden zu zum zur zwar wann warum bitte gibt`,
  // French
  `au aux avec ce ces dans des du elle eux il je la le leur lui mais me meme mes moi mon ne nos notre
   nous on ou pas qu que qui se ses sur tes toi tu une vos votre vous a ete etee etees etes etant
   etante etants etantes suis es est sommes sont serai seras sera serons serez seront serais serait
   serions seriez etais etait etions etiez etaient fus fut futes furent sois soit soyons soyez
   soient fussiez fussent ayant ayante ayantes ayants eue eues eus as avons avez ont aurai auras
   aura aurons aurez auront aurais aurait aurions auriez avais avait avions aviez avaient eut eumes
   eutes eurent aie aies ait ayons ayez aient eusse eusses eussiez eussent quand pourquoi combien
   quel quelle quels quelles les cet cette puis`,
  // Spanish
  `la que el a los del se las por para no una su lo como mas pero sus le ya este si porque esta entre
   cuando muy sobre tambien me hasta donde quien desde nos durante todos uno les ni otros ese eso
   ante ellos esto mi antes algunos unos yo otro otras otra tanto esa estos mucho quienes nada
   muchos cual poco ella estar estas algunas algo tu ti tus ellas mio mia mios mias tuyo tuya tuyos
   tuyas suyo suya suyos suyas nuestro nuestra vuestro vuestra esos esas estoy estamos estais estan
   estemos esteis esten estare estaras estara estaran estaria estaba estabas estaban estuve estuvo
   estando estado estada estados estadas estad he has ha hemos habeis haya hayas hayamos hayais
   hayan habre habras habra habreis habran habria habrias habrian habia habias habiais habian hube
   hubiste hubo hubimos hubiera hubiese habido habida habidos habidas eres es somos sois seamos
   seais sean sere seras sera seremos sereis seran seria serias seriais serian eramos erais eran fui
   fuiste fue fuimos fueron fuera fueras fuerais fueran fuese fueses fueseis fuesen sentido sentida
   siente sentid tengo tienes tiene tenemos teneis tienen tenga tengas tengais tengan tendre tendras
   tendra tendran tendria teniais tenian tuve tuviste tuvo tuvimos tuviera tuviese tenido tenida
   tenidos tenidas tened cuanto cuanta cuantos cuantas puedo puede`,
  // Italian
  `allo agli all agl alla alle coi da dallo dagli dall dagl dalla dalle di del dello dei degli degl
   della nel nello nei negli nell negl nella nelle su sul sullo sui sugli sull sugl sulla sulle per
   tra contro tu lui lei noi voi loro mio mia miei mie tuo tua tuoi suo sua suoi nostro nostra
   nostri nostre vostro vostra vostri vostre mi ti vi lo la le gli ne il uno una se anche dov che
   cui piu quale quanto quanti quanta quante quello quelli quella quelle questo questi questa queste
   si tutto tutti a i ho hai ha abbiamo avete hanno abbia abbiate abbiano avro avrai avra avremo
   avrete avranno avrei avresti avrebbe avremmo avreste avevo avevi aveva avevamo avevate avevano
   ebbi avesti ebbe avemmo aveste ebbero avessi avesse avendo avuto avuta avuti avute sono sei siamo
   siete sia siate siano saro sarai sara saremo sarete saranno sarei saresti sarebbe saremmo sareste
   ero eri eravamo eravate erano fui fosti fu fummo foste furono fossimo fossero essendo faccio fai
   fanno faccia faro farai fara faremo farete faranno farei faresti farebbe faremmo fareste facevo
   facevi faceva feci facesti fece facemmo faceste fecero facessi facesse facendo sto stai sta
   stiamo stanno stia stiate stiano staro starai stara staremo starei stavo stavi stava stavamo
   stavate stavano stetti stesti stette stemmo steste stessi stesse stando quando`,
  // Portuguese
  `a que do da um para nao uma no se por mais as como mas ao ele das seu sua ou quando muito nos ja
   tambem so pelo pela isso ela entre depois sem mesmo aos seus quem me esse eles voce essa nem suas
   meu minha pelos elas qual lhe deles essas esses pelas este dele tu voces vos lhes meus minhas teu
   tua teus tuas nosso nossa nossos nossas dela delas esta estas aquele aquela aqueles aquelas isto
   aquilo estou estamos estao estive esteve estava estavam esteja estejam estiver hei ha havemos hao
   houve houvera haja hajamos hajam houver sou somos sao eramos eram fui foi fomos foram fora
   foramos seja sejamos sejam fossem for formos forem serei sera seremos serao seria seriam tenho
   tem temos tinha tinham tive teve tivemos tiveram tivera tenha tenham tivesse tiver tiverem terei
   tera teremos terao teria teriam onde quanto porque`,
  // Dutch
  `ik dat een hij het niet zijn is was aan als voor had er maar om dan zou of wat mijn dit zo ze zich
   bij ook tot je mij uit der daar haar naar heb heeft hebben deze nog zal me zij geen omdat iets
   worden toch waren veel meer doen toen moet ben zonder kan hun dus alles onder ja eens hier wie
   werd altijd doch wordt wezen kunnen ons zelf tegen wil kon niets uw iemand geweest andere waarom
   waar wanneer`,
]

/** Function words typical of questions. Documents of `builtin-2` were embedded without them, so for questions only. */
const WORDS_OF_QUESTIONS = [
  // German
  `wer wen wem wessen wohin woher womit wofur wovon muss musst mussen darf darfst durfen soll sollst sollen
   sollten mochte mochten konnt konnten wollt kommt kommst kommen bekomme bekommst bekommt bekommen geht
   gehst gehen macht machst gemacht tut tust getan lasst lassen jemand jemanden jemandem niemand
   niemanden vorher nachher etwa gerade eigentlich`,
  // French
  `peux peut peuvent pouvons pouvez pouvoir veux veut veulent voulons voulez vouloir doit doivent devons
   devez devoir faut fait faites vais allons allez chez lequel laquelle lesquels lesquelles celui
   ceux quelqu autre autres moins aussi alors ainsi donc tres`,
  // Spanish
  `hace hacen hago hacer hacerlo hecho hizo pueden podemos podria poder debo debe deben deber quiero quiere
   quieren querer voy vamos cuales adonde aqui alli ahora asi menos cada alguien nadie`,
  // Italian
  `posso puoi possono possiamo potere devo devi deve devono dovere voglio vuoi vuole vogliono volere fatto
   cosa quali anche ancora quindi qualcuno nessuno qui`,
  // Portuguese
  `posso pode podem podemos poder devo deve devem preciso precisa fazer faz fazem feito quero quer quais
   aonde aqui agora assim cada alguem ninguem`,
  // Dutch
  `welke welk moeten moest mogen kunt kunnen gaat gaan doet komt komen krijg krijgt krijgen iedereen
   jullie jouw wij onze`,
]

const HIRAGANA = /^\p{Script=Hiragana}+$/u

const stems: ReadonlySet<string> = new Set(tokenize(WORDS.join(' ')))
const stemsOfQuestions: ReadonlySet<string> = new Set(tokenize(WORDS_OF_QUESTIONS.join(' ')))

/** Whether a stem of `tokenize` is a function word in German, French, Spanish, Italian, Portuguese or Dutch. */
export function isForeignStop(stem: string): boolean {
  return stems.has(stem)
}

/** Whether a stem is a function word in a question. */
export function carriesNoSubject(stem: string): boolean {
  return stems.has(stem) || stemsOfQuestions.has(stem)
}

/** Whether a stem is a pair of Japanese syllables: nearly always an ending or a particle, sometimes a word. */
export function isSyllables(stem: string): boolean {
  return HIRAGANA.test(stem)
}
