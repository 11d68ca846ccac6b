/** English function words, lower case and unstemmed, which documents and queries leave out. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those
  i me my mine myself we us our ours ourselves you your yours yourself yourselves
  he him his himself she her hers herself it its itself they them their theirs themselves one ones
  am is are was were be been being do does did doing done have has had having
  can cannot could may might must shall should will would ought
  ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren wouldn
  and but or nor if then else because as so than though although while whether
  of at by for with about against between into through during to from in out on off onto upon
  over under per via within without
  what which who whom whose when where why how
  all any both each either neither few more most other others some such no not only own same too very
  just also here there again ever yet still
  something anything someone anyone somebody anybody thing things way get gets got please`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
