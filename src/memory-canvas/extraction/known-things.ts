import { fold } from './identity.ts'

/** Common names, one per line or separated by commas, in the form of `fold`. */
const namesOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split(/[,\n]/)
      .map(fold)
      .filter((name) => name !== ''),
  )

/** Countries, their regions and large cities, in English and in their own language: a place, not a topic. */
export const PLACES = namesOf(`
  Afghanistan, Albania, Algeria, Angola, Argentina, Armenia, Australia, Azerbaijan, Bahrain, Bangladesh, Belarus, Belgium, België,
  Bolivia, Bosnia, Botswana, Brazil, Brasil, Bulgaria, Cambodia, Cameroon, Canada, Chile, Colombia, Costa Rica, Croatia, Cuba, Cyprus,
  Czechia, Czech Republic, Denmark, Danmark, Dominican Republic, Ecuador, Egypt, El Salvador, England, Estonia, Eesti, Ethiopia,
  Finland, Suomi, Georgia, Deutschland, Österreich, Schweiz, Suisse, Svizzera, Ghana, Greece, Greenland, Guatemala, Honduras,
  Hong Kong, Hungary, Iceland, Indonesia, Iran, Iraq, Ireland, Israel, Italia, Italy, Ivory Coast, Jamaica, Kazakhstan, Kenya, Korea,
  South Korea, North Korea, Kuwait, Latvia, Lebanon, Libya, Liechtenstein, Lithuania, Luxembourg, Luxemburg, Malaysia, Malta, Mexico,
  México, Moldova, Monaco, Mongolia, Montenegro, Morocco, Mozambique, Myanmar, Namibia, Nepal, Netherlands, Nederland, New Zealand,
  Nicaragua, Nigeria, North Macedonia, Northern Ireland, Norway, Norge, Pakistan, Panama, Paraguay, Peru, Philippines, Poland, Polska,
  Portugal, Qatar, Romania, Russia, Rwanda, Saudi Arabia, Scotland, Senegal, Serbia, Singapore, Slovakia, Slovenia, Somalia,
  South Africa, España, Sri Lanka, Sudan, Sweden, Sverige, Syria, Taiwan, Tanzania, Thailand, Tunisia, Turkey, Türkiye, Uganda,
  Ukraine, United Arab Emirates, United Kingdom, United States, Great Britain, Britain, Uruguay, Uzbekistan, Venezuela, Vietnam,
  Wales, Yemen, Zambia, Zimbabwe, Africa, Asia, North America, South America, Latin America, Middle East, Scandinavia, Benelux
  Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Hawaii, Idaho, Illinois, Indiana, Iowa,
  Kansas, Kentucky, Louisiana, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada,
  New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island,
  South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, West Virginia, Wisconsin, Wyoming, Ontario, Quebec, British Columbia,
  Bavaria, Bayern, Hessen, Sachsen, Saxony, Thüringen, Brandenburg, Baden-Württemberg, Niedersachsen, Nordrhein-Westfalen, Tirol
  Aachen, Aberdeen, Abu Dhabi, Accra, Adelaide, Amsterdam, Ankara, Antwerp, Antwerpen, Athens, Atlanta, Auckland, Augsburg, Austin,
  Baghdad, Baltimore, Bangalore, Bengaluru, Bangkok, Barcelona, Basel, Beijing, Beirut, Belfast, Belgrade, Bergen, Bern, Bielefeld,
  Bilbao, Birmingham, Bochum, Bogotá, Bologna, Bonn, Bordeaux, Boston, Bratislava, Braunschweig, Bremen, Bremerhaven, Brisbane,
  Bristol, Brno, Bruges, Brussels, Bruxelles, Bucharest, Budapest, Buenos Aires, Buffalo, Busan, Cairo, Calgary, Canberra, Cape Town,
  Caracas, Cardiff, Casablanca, Charlotte, Chemnitz, Chennai, Chicago, Chongqing, Cincinnati, Cleveland, Cologne, Köln, Columbus,
  Copenhagen, København, Cork, Dakar, Dallas, Darmstadt, Debrecen, Delhi, New Delhi, Denver, Detroit, Dhaka, Doha, Dortmund, Dresden,
  Dubai, Dublin, Duisburg, Dundee, Durban, Düsseldorf, Dusseldorf, Edinburgh, Edmonton, Eindhoven, Erfurt, Essen, Florence, Firenze,
  Frankfurt, Frankfurt am Main, Freiburg, Fukuoka, Galway, Gdansk, Gdańsk, Geneva, Genève, Genf, Genoa, Ghent, Gent, Glasgow, Gothenburg,
  Göteborg, Graz, Grenoble, Guadalajara, Guangzhou, Hague, The Hague, Den Haag, Haifa, Halifax, Hamburg, Hannover, Hanover, Hanoi,
  Havana, Heidelberg, Helsinki, Hiroshima, Ho Chi Minh City, Houston, Hyderabad, Indianapolis, Innsbruck, Istanbul, Izmir, Jakarta,
  Jerusalem, Johannesburg, Kaiserslautern, Karachi, Karlsruhe, Kassel, Kathmandu, Katowice, Kiel, Kiev, Kyiv, Kigali, Kolkata, Konstanz,
  Krakow, Kraków, Kuala Lumpur, Kyoto, Lagos, Lahore, Las Vegas, Lausanne, Leeds, Leicester, Leiden, Leipzig, Leuven, Lille, Lima,
  Limerick, Linz, Lisbon, Lisboa, Liverpool, Ljubljana, Lodz, Łódź, Los Angeles, Lübeck, Lucerne, Luzern, Lund, Lyon, Maastricht,
  Madrid, Magdeburg, Mainz, Malaga, Málaga, Malmö, Malmo, Manchester, Manila, Mannheim, Marrakech, Marseille, Medellín, Melbourne,
  Memphis, Mexico City, Miami, Milan, Milano, Milwaukee, Minneapolis, Minsk, Mombasa, Montevideo, Montreal, Montréal, Moscow, Mumbai,
  Munich, München, Münster, Nairobi, Nagoya, Nancy, Nantes, Naples, Napoli, Nashville, Newcastle, New Orleans, Nice, Nottingham,
  Nuremberg, Nürnberg, Odense, Odessa, Oporto, Porto, Osaka, Oslo, Ottawa, Oxford, Padua, Palermo, Palo Alto, Perth, Philadelphia,
  Pittsburgh, Plymouth, Portland, Potsdam, Poznan, Poznań, Prague, Praha, Pune, Quito, Raleigh, Regensburg, Rennes, Reykjavik, Riga,
  Rio de Janeiro, Riyadh, Rome, Roma, Rostock, Rotterdam, Sacramento, Saarbrücken, Salt Lake City, Salzburg, San Antonio, San Diego,
  San Francisco, San Jose, San José, San Juan, Santiago, Santo Domingo, São Paulo, Sapporo, Sarajevo, Seattle, Seoul, Seville, Sevilla,
  Shanghai, Sheffield, Shenzhen, Skopje, Sofia, Southampton, St. Gallen, St. Louis, Stavanger, Stockholm, Strasbourg, Stuttgart, Taipei,
  Tallinn, Tampa, Tampere, Tbilisi, Tehran, Tel Aviv, Thessaloniki, Tirana, Toronto, Toulouse, Trier, Trieste, Trondheim, Tunis, Turin,
  Torino, Turku, Ulm, Uppsala, Utrecht, Valencia, Valletta, Vancouver, Venice, Venezia, Verona, Vienna, Wien, Vilnius, Warsaw,
  Warszawa, Washington, Wellington, Wiesbaden, Winnipeg, Wolfsburg, Wroclaw, Wrocław, Wuhan, Wuppertal, Würzburg, Yokohama, Zagreb,
  Zaragoza, Zurich, Zürich, Silicon Valley, Bay Area, Manhattan, Brooklyn`)

/** Encodings, formats, signals and codes that everyone in computing shares, so no topics by themselves. */
export const STANDARDS = namesOf(`
  ack, adr, ajax, alpn, amqp, ansi, arp, ascii, asn, avif, base64, bmp, bom, bson, cbor, cgi,   cjs, cli, connack, crc, crlf, ddl, dll, dml, dom,
  dos, dpi, dsn, dtd, dto, ecdsa, ecma, ecmascript, ed25519, elf, eof, eol, esm, regexp, exif, fifo, gif, gui,
  guid, gzip, hex, hmac, html5, http2, http3, iana, icmp, ietf, ini, ip, ipc, ipv4,   iso 8601, iso8601, jit, jpeg, jsonl, jsonp, jsonrpc, jsx, jwe, jwk, jwks, jws, jwt, lf, lifo, lru, md5, mdn,
  mime, mp3, mp4, mpeg, mvc, nan, nat, ndjson, npe, oom, os, pid, ping, pkce, pkcs,
  png, pojo, pong, ptr, quic, rdf, repl, rfc, rgb, rgba, rss, rst, rtf, rtt,
  scp, sha, sha1, sha256, sha-256, sha512, sha-512, sigint, sigkill, sigterm, sighup, sni, soap, socks,
  srp, sse, stderr, stdin, stdout, stun, syn, syscall, tar, tcp, tcpip, telnet, toml, tsv, tsx, ttl,
  tty, txt, udp, uid, unicode, uri, urn, utc, utf, utf8, utf-8, utf16, utf-16, uuid, wasm, wav, webm, webp,
  wsdl, wss, www, xhr, xhtml, xor, xsd, xslt, zip, zlib, zstd`)
