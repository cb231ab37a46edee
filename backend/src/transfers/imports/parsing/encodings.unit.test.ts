import { ENCODINGS, type Encoding, EncodingDetector, toUtf8 } from './encodings.js';

const TEXT = 'name;price\nŽižek – “naïve” 🎣;1 €\n';

const bytesOf = {
  'utf-8': (text: string) => Buffer.from(text),
  'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': (text: string) =>
    Buffer.from(
      [...text].map(character => {
        const at = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'.indexOf(character);
        return at < 0 ? character.charCodeAt(0) : 0x80 + at;
      }),
    ),
};

/** Splits a file into chunks of one byte, so that each character is cut. */
async function* chunks(file: Buffer, size = 1): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

async function read(file: Buffer, encoding: Encoding, size?: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of toUtf8(chunks(file, size), encoding)) parts.push(part);
  return Buffer.concat(parts).toString();
}

function detect(file: Buffer, size = 1): Encoding {
  const detector = new EncodingDetector();
  for (let at = 0; at < file.length; at += size) detector.write(file.subarray(at, at + size));
  return detector.end();
}

test.each(['utf-8', 'utf-16le', 'utf-16be'] as const)(
  'a file in %s is detected and read, with and without a byte order mark',
  async encoding => {
    for (const text of [TEXT, `\ufeff${TEXT}`]) {
      const file = bytesOf[encoding](text);
      expect(detect(file)).toBe(encoding);
      expect(await read(file, encoding)).toBe(TEXT);
      expect(await read(file, encoding, 7)).toBe(TEXT);
    }
  },
);

test('a file with bytes that are no UTF-8 is read as windows-1252', async () => {
  const file = bytesOf['windows-1252']('Straße – 1 € für Müllers Öl und é');
  expect(detect(file, 1_000)).toBe('windows-1252');
  expect(await read(file, 'windows-1252')).toBe('Straße – 1 € für Müllers Öl und é');
});

const encoders = new Map<Encoding, Map<string, number[]>>();

/** Encodes text by looking up its characters among all that one or two bytes can mean. */
function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'windows-1252') return bytesOf['windows-1252'](text);
  const bytes = encoders.get(encoding) ?? new Map<string, number[]>();
  if (encoders.has(encoding)) return withBytes(text, bytes);
  encoders.set(encoding, bytes);
  const decoder = new TextDecoder(encoding);
  const firsts = Array.from({ length: 256 }, (_, byte) => byte);
  for (const first of firsts) {
    const single = decoder.decode(Uint8Array.of(first));
    if (!single.includes('\ufffd')) bytes.set(single, [first]);
    else
      for (const second of firsts) {
        const pair = decoder.decode(Uint8Array.of(first, second));
        if (!pair.includes('\ufffd') && !bytes.has(pair)) bytes.set(pair, [first, second]);
      }
  }
  return withBytes(text, bytes);
}

function withBytes(text: string, bytes: Map<string, number[]>): Buffer {
  return Buffer.from([...text].flatMap(character => bytes.get(character) ?? [0x3f]));
}

test.each([
  ['windows-1250', 'ime\nČaša\n'],
  ['windows-1250', 'ime;grad\nČaša;Šibenik\nŽlica;Đakovo\n'],
  ['windows-1250', 'název,cena\nPříliš žluťoučký kůň,12\n'],
  ['windows-1250', 'nazwa,cena\nZażółć gęślą jaźń,1\nŁódź,2\n'],
  ['windows-1250', 'név,ár\nÁrvíztűrő tükörfúrógép,1\nŐszi,2\n'],
  ['windows-1251', 'имя;цена\nЧашка;12\nЛожка большая;3\n'],
  ['windows-1253', 'όνομα;τιμή\nΦλιτζάνι;12\n'],
  ['windows-1254', 'isim;fiyat\nçaydanlık şişesi;12\nİstanbul güzel ığdır;3\n'],
  ['windows-1255', 'שם,מחיר\nכוס תה,12\nכפית,3\n'],
  ['koi8-r', 'имя;цена\nЧашка чая;12\nЛожка большая;3\n'],
  ['shift_jis', '名前,価格\n茶碗,12\n箸,3\nりんごジュース,5\n'],
  ['euc-jp', '名前,価格\n茶碗,12\n箸,3\nりんごジュース,5\n'],
  ['gb18030', '名称,价格\n茶杯,12\n筷子,3\n苹果汁,5\n'],
  ['big5', '名稱,價格\n茶杯,12\n筷子,3\n蘋果汁,5\n'],
  ['euc-kr', '이름,가격\n찻잔,12\n젓가락,3\n'],
] as const)('a file in %s is detected and read, also after much ASCII: %j', async (encoding, text) => {
  for (const before of ['', 'a,1\n'.repeat(50_000)]) {
    const file = Buffer.concat([Buffer.from(before), encoded(text, encoding)]);
    expect(detect(file, 65_536)).toBe(encoding);
    expect(await read(file, encoding, 4_097)).toBe(before + text);
  }
});

/** Decodes a file with the encoding that is detected. Different encodings can give the same text. */
const readAs = async (file: Buffer) => read(file, detect(file, 65_536), 65_536);

test.each<[Encoding, string]>([
  ['windows-1250', 'OIB;PREZIME;GRAD\n1;KOVAČEVIĆ;ŠIBENIK\n2;ŠIMIĆ;ČAKOVEC\n3;ĐURIĆ;ZAGREB\n4;ŽIVKOVIĆ;POŽEGA\n'],
  ['windows-1250', 'GRAD\nĆUPRIJA\nČAČAK\n'],
  ['windows-1250', 'id;ime\n120000;Šibenik čđž\n'],
  ['windows-1250', 'prezime\nKovačević\n'],
  ['windows-1250', 'grad\nČakovec\n'],
  ['windows-1250', 'ime\nŽeljko\n'],
  ['windows-1250', 'ime\nDž. Šušnjara\nĐuro Đaković\n'],
  ['windows-1250', 'OPIS\nNAZIV POREZNOG OBVEZNIKA: ČIŠĆENJE I ODRŽAVANJE\n'],
  [
    'windows-1250',
    'naziv;opis\nStolica;Drvena stolica s naslonom, visina 90 cm, težina 4,5 kg\nStol;Okrugli stol za četiri osobe\nOrmar;Ormar s tri ladice i dvojim vratima, smeđi, širina 120 cm\n',
  ],
  ['windows-1250', 'kraj,opis\nŠkofja Loka,Čebelarski muzej v Radovljici\nŽalec,hmeljišče\n'],
  ['windows-1250', 'město;psč\nPlzeň;301 00\nČeské Budějovice;370 01\nÚstí nad Labem;400 01\n'],
  ['windows-1250', 'MĚSTO\nPLZEŇ\nČESKÝ KRUMLOV\nŽĎÁR NAD SÁZAVOU\n'],
  ['windows-1250', 'mesto\nKošice\nŽilina\nBanská Štiavnica\nĽubotín\n'],
  ['windows-1250', 'miasto\nŁódź\nKraków\nWrocław\nGdańsk\nŚwinoujście\n'],
  ['windows-1250', 'MIASTO\nŁÓDŹ\nGDAŃSK\nŚWIDNICA\nCZĘSTOCHOWA\n'],
  ['windows-1250', 'város\nGyőr\nHódmezővásárhely\nSzékesfehérvár\nKőszeg\n'],
  ['windows-1250', 'ORSZÁG\nMAGYARORSZÁG\nFŐVÁROS\nGYŐR\nKŰRT\n'],
  ['windows-1250', 'oraş\nBucureşti\nTimişoara\nConstanţa\nBrăila\n'],
  ['iso-8859-2', 'ime\nŠime\nŽarko\nĆiril\n'],
  ['iso-8859-2', 'grad;zupanija\nŠibenik;Šibensko-kninska\nČakovec;Međimurska\nPožega;Požeško-slavonska\n'],
  ['iso-8859-2', 'miasto\nŁódź\nŚwinoujście\nGdańsk\nJasło\nBiała Podlaska\nKąty\n'],
  ['iso-8859-2', 'název\nPříliš žluťoučký kůň\nŠumperk\n'],
  ['windows-1252', 'name\nMüller\n'],
  ['windows-1252', 'STADT\nMÜNCHEN\nKÖLN\nDÜSSELDORF\n'],
  ['windows-1252', 'stadt;straße\nKöln;Größenweg 3\nNürnberg;Äußere Bayreuther Straße\n'],
  ['windows-1252', 'prénom\nFrançoise\nRené\nHélène\n'],
  ['windows-1252', 'VILLE\nBESANÇON\nSAINT-ÉTIENNE\nALÈS\nNÎMES\n'],
  ['windows-1252', 'ville;note\nMâcon;« très bien » – à côté de l’église\nOrléans;cœur de ville, 12 €\n'],
  ['windows-1252', 'ciudad\nCórdoba\nMálaga\nLogroño\n'],
  ['windows-1252', 'CIUDAD\nCORUÑA\nCÁDIZ\nLEÓN\n'],
  ['windows-1252', 'pregunta\n¿Qué hora es? ¡Adiós, señor!\n'],
  ['windows-1252', 'cidade\nSão Paulo\nBrasília\nGoiânia\nConceição do Coité\n'],
  ['windows-1252', 'città\nForlì\nCefalù\nè perché più\n'],
  ['windows-1252', 'caffè\nè\n'],
  ['windows-1252', 'stad\nGöteborg\nMalmö\nÅre\nVästerås\n'],
  ['windows-1252', 'by\nTromsø\nÅlesund\nBodø\nLærdal\n'],
  ['windows-1252', 'BY\nÆRØSKØBING\nÅRHUS\nTØNDER\n'],
  ['windows-1252', 'kaupunki\nJyväskylä\nHämeenlinna\nSeinäjoki\n'],
  ['windows-1252', 'borg\nReykjavík\nÞorlákshöfn\nÍsafjörður\nHúsavík\n'],
  ['windows-1252', 'item;price\nTea;12 €\nCoffee;£9\nCake;50 ¢\n'],
  ['windows-1252', 'temp\n21°C\n'],
  ['windows-1252', 'quote\n“Emma” – it’s a novel…\n'],
  ['windows-1252', 'x\n© 2024 Foo® ½ cup ±3 µm\n'],
  ['windows-1254', 'şehir\nİstanbul\nEskişehir\nMuğla\nIğdır\nDiyarbakır\n'],
  ['windows-1254', 'ŞEHİR\nİSTANBUL\nIĞDIR\nŞANLIURFA\n'],
  ['windows-1257', 'miestas\nŠiauliai\nPanevėžys\nMarijampolė\nĄžuolų gatvė\n'],
  ['windows-1257', 'pilsēta\nRīga\nLiepāja\nDaugavpils\nJēkabpils\nŪķi un ļaudis, ģimene\n'],
  ['windows-1257', 'linn\nPärnu\nVõru\nJõhvi\nŠõlg\n'],
  ['windows-1251', 'город\nМосква\n'],
  ['windows-1251', 'id;город;цена\n1;Санкт-Петербург;12\n2;Екатеринбург;3\n3;Нижний Новгород;4\n'],
  ['windows-1251', 'ГОРОД\nМОСКВА\nСОЧИ\n'],
  ['windows-1251', 'град\nСофия\nПловдив\nВелико Търново\n'],
  ['windows-1251', 'місто\nКиїв\nЛьвів\nЧернівці\nЄвпаторія\n'],
  ['windows-1251', 'град\nБеоград\nЊегуши\nЋуприја\nЉиг\nШабац\n'],
  ['koi8-r', 'город;цена\nМосква;12\nСанкт-Петербург;3\n'],
  ['windows-1253', 'πόλη\nΑθήνα\nΘεσσαλονίκη\nΠάτρα\n'],
  ['windows-1253', 'ΠΟΛΗ\nΑΘΗΝΑ\nΘΕΣΣΑΛΟΝΙΚΗ\nΠΑΤΡΑ\n'],
  ['windows-1255', 'עיר,מחיר\nירושלים,1\nתל אביב,2\nחיפה,3\n'],
  ['windows-1256', 'المدينة,السعر\nالقاهرة,1\nالإسكندرية,2\nبغداد,3\n'],
  ['shift_jis', '都市,人口\n東京,1\n大阪,2\n名古屋,3\nさっぽろ,4\n'],
  ['shift_jis', '商品名\nカメラ\nノートパソコン\n'],
  ['euc-jp', '都市,人口\n東京,1\n大阪,2\n名古屋市の人口,3\nさっぽろ,4\n'],
  ['gb18030', '城市,人口\n北京,1\n上海,2\n广州市天河区,3\n'],
  ['gb18030', '姓名\n张伟\n王芳\n李娜\n'],
  ['big5', '城市,人口\n臺北,1\n高雄,2\n臺中市西屯區,3\n'],
  ['euc-kr', '도시,인구\n서울,1\n부산,2\n대구광역시,3\n'],
  ['windows-1252', 'name\nJosé\n'],
  ['windows-1252', 'NAME\nJOSÉ\nANDRÉ\n'],
  ['windows-1252', 'naam\nCoëlho\nIJsselmeer één\n'],
  ['windows-1252', 'ainm\nSeán\nÓ Briain\n'],
  ['windows-1252', 'nom;prix\nCafé crème;3 €\nThé;2 €\nPâté;4 €\n'],
  ['windows-1252', 'x\nCastilla-La Mancha\nEspaña\n'],
  ['windows-1252', 'x\nDon’t\n'],
  ['windows-1252', 'x\n100 m²\n'],
  ['windows-1252', 'navn\nBjørn\n'],
  ['windows-1252', 'TITOLO\nPERCHÉ NO\nCITTÀ\nLA LIBERTÀ È\n'],
  ['windows-1252', 'author\nBrontë, Emily\nZola, Émile\nMárquez, Gabriel García\nStrauß\n'],
  ['windows-1250', 'ime;adresa;mjesto\nAna;Ulica kneza Branimira 3;Zagreb\nIvan;Gajeva 2;Đurđevac\n'],
  ['windows-1250', 'IME\nIVAN\nŽELJKO\n'],
  ['windows-1250', 'imie\nMałgorzata\n'],
  ['windows-1250', 'jméno\nJiří\n'],
  ['windows-1250', 'naziv\nKuća\n'],
  ['windows-1250', 'NÁZEV\nPŘÍLIŠ\n'],
  ['windows-1250', 'cena\n12 € – žuta kuća\n'],
  ['windows-1250', 'prezime\nHorvatić\nBabić\nMarić\n'],
  ['windows-1250', 'PREZIME\nHORVATIĆ\nBABIĆ\nMARIĆ\n'],
  ['windows-1251', 'имя\nИван\n'],
  ['windows-1251', 'ИМЯ\nИВАН ПЕТРОВ\n'],
  ['windows-1251', 'name\nЩука и Я\n'],
  ['windows-1251', 'артикул;название\nA-1;Чайник Bosch TWK 3\nB-2;Кофеварка De Longhi\n'],
  ['koi8-r', 'ИМЯ\nИВАН ПЕТРОВ\n'],
  ['koi8-u', "ім'я\nЄвген Їжак\nІгор Київський\n"],
  ['windows-1253', 'ΟΝΟΜΑ\nΓΙΩΡΓΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ\n'],
  ['windows-1253', 'όνομα\nΓιώργος\n'],
  ['windows-1254', 'ad\nAyşe Yılmaz\n'],
  ['windows-1254', 'AD\nÇAĞLA GÜNEŞ\n'],
  ['windows-1257', 'vardas\nJonas Žemaitis\nŪla\nŽydrūnas Savickas\n'],
  ['windows-1255', 'שם\nדוד כהן\n'],
  ['windows-1256', 'الاسم\nمحمد علي\n'],
  ['gb18030', '名称;型号\n苹果手机;iPhone 15\n华为手机;Mate60\n'],
  ['big5', '名稱;型號\n蘋果手機;iPhone 15\n'],
  ['shift_jis', '名前\n田中\n'],
  ['shift_jis', 'ﾅﾏｴ,住所\nﾀﾅｶ,東京都\n'],
  ['euc-jp', '名前\nたなか\n'],
  ['euc-kr', '이름\n김철수\n'],
  ['iso-8859-2', 'prezime\nKovačević\nŠimić\n'],
  ['iso-8859-2', 'PREZIME\nŠIMIĆ\nŽIVKOVIĆ\n'],
  ['iso-8859-2', 'miasto\nKraśnik\nŁąck\n'],
])('a file in %s is detected and read: %j', async (encoding, text) => {
  expect(await readAs(encoded(text, encoding))).toBe(text);
});

test.each<[Encoding, string[]]>([
  ['windows-1250', ['HORVAT ZAGREB', 'KOVAČEVIĆ', 'ŠIMIĆ', 'ĐURIĆ', 'ŽIVKOVIĆ', 'BABIĆ ŠIBENIK', 'ČAKOVEC']],
  ['windows-1250', ['Kolo', 'Žluťoučký kůň', 'Příliš', 'dům', 'řeka', 'nádraží']],
  ['windows-1250', ['Zażółć', 'gęślą', 'jaźń', 'Łódź', 'kot', 'pies']],
  ['windows-1250', ['árvíztűrő', 'tükörfúrógép', 'kő', 'asztal', 'szék', 'ötven']],
  ['windows-1252', ['Straße', 'Müller', 'Köln', 'Öl', 'Berlin', 'ähnlich']],
  ['windows-1252', ['été', 'où', 'garçon', 'hôtel', 'maison', 'Noël', 'ALÈS', 'Élysée']],
  ['windows-1252', ['niño', 'corazón', '¿dónde?', 'mañana', 'árbol', 'pingüino']],
  ['windows-1252', ['Zürich', 'Genève', 'Chène-Bougeries', 'Graubünden', 'Neuchâtel', 'Köniz']],
  ['windows-1252', ['ærlig', 'øl', 'å', 'København', 'Tromsø', 'bog']],
  ['windows-1254', ['çiçek', 'ağaç', 'ışık', 'güneş', 'İzmir', 'ev']],
  ['windows-1257', ['žąsis', 'ėjo', 'ūkis', 'šuo', 'medis', 'čia', 'į namus']],
  ['windows-1251', ['слово', 'дом', 'Мир', 'дерево', 'книга', 'Ёлка']],
  ['koi8-r', ['слово', 'дом', 'Мир', 'дерево', 'книга', 'Ёлка']],
  ['windows-1253', ['λόγος', 'σπίτι', 'Ειρήνη', 'δέντρο', 'βιβλίο']],
  ['windows-1255', ['שלום', 'בית', 'ספר', 'עץ']],
  ['windows-1256', ['سلام', 'بيت', 'كتاب', 'شجرة']],
  ['iso-8859-2', ['Žluťoučký kůň', 'Příliš', 'dům', 'šest', 'řeka', 'ťuk', 'žena']],
  ['gb18030', ['词语', '房子', '树木', '书本', '和平']],
  ['big5', ['詞語', '房子', '樹木', '書本', '和平']],
  ['shift_jis', ['言葉', '家', '木', '本', 'へいわ', 'カタカナ']],
  ['euc-jp', ['言葉', '家', '木', '本', 'へいわ', 'カタカナ']],
  ['euc-kr', ['단어', '집', '나무', '책', '평화']],
])('a long file in %s is detected and read: %j', async (encoding, words) => {
  const text = Array.from({ length: 400 }, (_, at) => `${at};${words[at % words.length]}\n`).join('');
  expect(await readAs(encoded(text, encoding))).toBe(text);
});

test('a file is read correctly whose only non-ASCII word comes after 120,000 rows', async () => {
  const text = `${'1;x\n'.repeat(120_000)}2;Šibenik čđž\n`;
  expect(
    await readAs(Buffer.concat([Buffer.from('1;x\n'.repeat(120_000)), encoded('2;Šibenik čđž\n', 'windows-1250')])),
  ).toBe(text);
});

const rowsWith = (sign: string) => Array.from({ length: 20_000 }, (_, n) => `${n};${n % 40} ${sign}\n`).join('');
const lateWords: [Encoding, string, string][] = [
  ['windows-1250', '°C', 'Kovačević\nŠimić\nĐurić\nŽivković\n'],
  ['windows-1250', '€', 'Kovačević\n'],
  ['windows-1250', '€', 'Łódź\nŚwinoujście\n'],
  ['windows-1250', 'Österreich, München', 'Kovačević;Šimić\nČakovec;Đurić\nŽivković;Babić\n'.repeat(9)],
  ['windows-1252', '€', 'Bjørn Ærø\nGöteborg\n'],
  ['windows-1254', '€', 'Eskişehir\nMuğla\nIğdır\nDiyarbakır\n'],
  ['windows-1257', '°C', 'Žydrūnas Šiaulių\nPanevėžys\n'],
  ['windows-1251', '°C', 'Санкт-Петербург\nМосква\n'],
  ['windows-1253', '€', 'Αθήνα\nΘεσσαλονίκη\n'],
];
test.each(lateWords)('a file in %s is read after 20,000 rows with only %j: %j', async (encoding, sign, words) => {
  const text = `${rowsWith(sign)}${words}`;
  expect(await readAs(encoded(text, encoding))).toBe(text);
});

test.each(ENCODINGS)('a file in %s can be read', async encoding => {
  expect(await read(Buffer.from(encoding.startsWith('utf-16') ? '' : 'a,1\n'), encoding)).toMatch(/^(a,1\n)?$/);
});

test('every byte of windows-1252 is read as a different character', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(new Set(await read(all, 'windows-1252')).size).toBe(256);
});

test.each([1, 7, 64 * 1024])('UTF-8 with a few wrong bytes is detected as UTF-8, in chunks of %i bytes', size => {
  const lines = Array.from({ length: 300 }, (_, n) => Buffer.from(`José Müller Čavić 東京 №${n}\n`));
  expect(detect(Buffer.concat([...lines, Buffer.from([0xff]), ...lines, Buffer.from('Jos\xe9', 'latin1')]), size)).toBe(
    'utf-8',
  );
});

test('a text whose last character is cut off is not detected as UTF-8', () => {
  expect(detect(Buffer.from('abc🎣').subarray(0, -1))).not.toBe('utf-8');
});

test.each([
  ['utf-8', Buffer.from([0x61, 0xff, 0x62])],
  ['utf-8', Buffer.from('🎣').subarray(0, 3)],
  ['utf-16le', Buffer.from([0x00, 0xd8, 0x61, 0x00])],
  ['utf-16be', Buffer.from([0x00])],
] as const)('bytes that are not valid %s are refused with their position', async (encoding, file) => {
  await expect(read(file, encoding)).rejects.toThrow(/are not utf.*byte \d/);
});

test('a file in UTF-8 keeps NUL characters, and byte order marks in the middle', async () => {
  expect(await read(Buffer.from('a\0\ufeffb'), 'utf-8')).toBe('a\0\ufeffb');
});
