/** The text of the scanned pages in this folder, line by line as they break. */
export const SCANS = {
  english: [
    'Minutes of the facilities committee, 14 March',
    'The committee agreed to move the warehouse to Harbor Street 27 before',
    'the end of June. Mrs. Whitfield reported that the lease of the present',
    'building cannot be extended, because the owner wants to sell it for',
    '€1,850,000. The new hall offers 3,400 square meters, two loading docks,',
    'and a cold room that is kept at 4 °C. Insurance costs rise by 12.5 %.',
    'Anyone who still has a key to the old building should return it to the',
    'front desk; questions go to moves@example.com or extension 4182.',
  ],
  german: [
    'Protokoll der Sitzung vom 3. Februar',
    'Für die Übergabe der Schlüssel ist künftig Frau Jäger zuständig. Die',
    'Kündigungsfrist beträgt sechs Wochen zum Monatsende; größere Schäden',
    'müssen außerdem schriftlich gemeldet werden. Der Vorstand beschließt,',
    'die Bürofläche in der Königsstraße 8 ab dem 1. Juli zu mieten. Der Preis',
    'beträgt 14,50 € je Quadratmeter, also 4.350 € im Monat. Über die Höhe',
    'der Rücklagen wird erst im Herbst entschieden, wenn die Prüfung durch',
    'das Finanzamt abgeschlossen ist und alle Belege geordnet vorliegen.',
  ],
  french: [
    'Compte rendu de la réunion du 9 septembre',
    'Le comité a décidé de reporter la livraison à la mi-décembre, car les',
    'pièces détachées n’ont pas été reçues à temps. Mme Lefèvre précise que',
    'le délai de paiement passe de trente à quarante-cinq jours. Où que soit',
    'le siège, chaque équipe garde son propre budget : 27 600 € pour l’année.',
    'Les travaux de la façade coûtent plus cher que prévu, mais la garantie',
    'couvre les dégâts causés par la grêle. Une visite est prévue à Besançon',
    'avec l’architecte ; les clés se trouvent au rez-de-chaussée, bureau 12.',
  ],
  spanish: [
    'Acta de la reunión del 21 de octubre',
    'La dirección aprobó el traslado del almacén a la calle Núñez de Balboa',
    'para el próximo año. El señor Ibáñez explicó que la compañía pagará un',
    'alquiler de 6.200 € al mes, con una fianza de dos mensualidades. Según',
    'el informe técnico, la instalación eléctrica está anticuada y habrá que',
    'sustituirla. ¿Quién se encarga de los permisos? Lo hará el área jurídica',
    'antes del viernes. Además, se mantendrá el servicio de guardia durante',
    'los días festivos; el teléfono de urgencias sigue siendo el 915 550 148.',
  ],
} as const

export const TABLE = {
  before: 'Quarterly stock of the Lisbon warehouse',
  rows: [
    ['Article', 'Location', 'Quantity', 'Price'],
    ['Desk lamp', 'Shelf A12', '140', '23.50'],
    ['Office chair', 'Hall 3', '62', '189.00'],
    ['Filing cabinet', 'Hall 3', '17', '245.90'],
    ['Whiteboard', 'Shelf C04', '9', '78.25'],
  ],
  after: 'Counted by the night shift and checked on the next morning.',
} as const

export const LINE = 'The spare keys are in locker number 4711 on the second floor.'
