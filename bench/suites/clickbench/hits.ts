/** The table of ClickBench: page views of many sites in July 2013, with the 105 columns of its definition. */
import { listOf, randomBelow, randomBetween, randomItem } from '../random-sql.ts';

/** Scale 1 has 100,000,000 rows, as the original. */
export function fill(scale: number): readonly string[] {
  const rows = Math.round(scale * 100_000_000);
  const aliases = Object.entries(named(rows)).map(([name, sql]) => `${sql} AS ${name}`);
  const expressions = columns.map(([, , sql]) => sql);
  return [
    `INSERT INTO hits\nWITH ${aliases.join(',\n  ')}\nSELECT ${expressions.join(', ')}\nFROM numbers(${rows}) SETTINGS max_insert_block_size = 65536`,
  ];
}

type Column = readonly [name: string, type: string, sql: string];

const small = (name: string, below: number): Column => [
  name,
  'Int16',
  randomBelow(below, name, 'number'),
];
const wide = (name: string, below: number): Column => [
  name,
  'Int32',
  randomBelow(below, name, 'number'),
];
/** 1 in one of so many rows, otherwise 0. */
const flag = (name: string, oneIn: number): Column => [
  name,
  'Int16',
  `${randomBelow(oneIn, name, 'number')} = 0`,
];
const none = (name: string, type: 'Int16' | 'Int32' | 'Int64'): Column => [name, type, '0'];
const empty = (name: string): Column => [name, 'String', "''"];
const item = (name: string, items: readonly string[]): Column => [
  name,
  'String',
  randomItem(items, name, 'number'),
];

/** From the most to the least frequent: the chance of the first of 100 is a fifth, for the power of 3. */
const skewed = (count: number | string, salt: string, power = 3) =>
  `toInt64(floor(${count} * pow(sipHash64('${salt}', number) / 18446744073709551616, ${power})))`;

const words = [
  'weather',
  'cheap',
  'flights',
  'google',
  'maps',
  'recipes',
  'news',
  'cars',
  'football',
  'music',
  'games',
  'hotels',
  'phones',
  'shoes',
  'photos',
  'jobs',
];
const titles = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
const sections = ['news', 'forum', 'catalog', 'photo', 'search', 'users'];

/** What several columns are made of. */
const named = (rows: number): Readonly<Record<string, string>> => ({
  site: skewed(400, 'site'),
  visitor: skewed(Math.max(10, Math.round(rows / 6)), 'visitor', 2),
  page: skewed(5000, 'page', 4),
  // No page of the sites' own at all for a part of the rows, whose URL is empty.
  shape: randomBelow(100, 'shape', 'number'),
  section: `${listOf(sections)}[1 + page % ${sections.length}]`,
  url: `multiIf(shape = 0, '', shape = 1, concat('http://www.google.com/search?q=', toString(page)),
    shape = 2, concat('http://site', toString(site), '.ru/google-maps/', toString(page)),
    concat('http://site', toString(site), '.ru/', section, '/', toString(page)))`,
  title: `multiIf(shape = 2 OR page % 50 = 7, concat('Google Maps ', toString(page)), page % 20 = 3, '',
    concat(${listOf(titles)}[1 + page % ${titles.length}], ' - site ', toString(site)))`,
  phrase: `if(${randomBelow(100, 'has phrase', 'number')} < 87, '', concat(${listOf(words)}[1 + ${skewed(words.length, 'word 1', 2)}], ' ',
    ${listOf(words)}[1 + ${skewed(words.length, 'word 2', 2)}], if(${randomBelow(2, 'third', 'number')} = 0, '', concat(' ', toString(${skewed(300, 'word 3')})))))`,
  referer: `multiIf(${randomBelow(100, 'has referer', 'number')} < 40, '', phrase <> '', concat('http://www.google.ru/search?q=', phrase),
    concat(if(number % 3 = 0, 'https://www.', 'http://'), 'site', toString(${skewed(400, 'referring site')}), '.ru/', section, '/', toString(${skewed(200, 'referring page')})))`,
  day: `toDate('2013-07-01') + ${randomBelow(31, 'day', 'number')}`,
  time: `toDateTime(day) + ${randomBelow(86_400, 'time', 'number')}`,
  model: `if(${randomBelow(20, 'mobile', 'number')} = 0, 1 + ${skewed(40, 'model', 2)}, 0)`,
});

const columns: readonly Column[] = [
  ['WatchID', 'Int64', "toInt64(sipHash64('watch', number))"],
  flag('JavaEnable', 3),
  ['Title', 'String', 'title'],
  ['GoodEvent', 'Int16', '1'],
  ['EventTime', 'DateTime', 'time'],
  ['EventDate', 'Date', 'day'],
  [
    'CounterID',
    'Int32',
    "multiIf(site = 0, 62, site = 1, 1704509, site = 2, 38, 100 + toInt64(sipHash64('counter', site) % 1000000))",
  ],
  ['ClientIP', 'Int32', "toInt32(sipHash64('ip', intDiv(visitor, 2)))"],
  [
    'RegionID',
    'Int32',
    `[229, 2, 104, 1, 3][1 + least(${skewed(60, 'region', 4)}, 4)] + if(visitor % 5 = 4, 1000 + visitor % 700, 0)`,
  ],
  ['UserID', 'Int64', "if(visitor = 3, 435090932899640449, toInt64(sipHash64('user', visitor)))"],
  small('CounterClass', 2),
  small('OS', 60),
  small('UserAgent', 80),
  ['URL', 'String', 'url'],
  ['Referer', 'String', 'referer'],
  flag('IsRefresh', 9),
  small('RefererCategoryID', 3),
  wide('RefererRegionID', 300),
  small('URLCategoryID', 3),
  wide('URLRegionID', 300),
  [
    'ResolutionWidth',
    'Int16',
    '[1024, 1280, 1366, 1440, 1600, 1638, 1680, 1920, 0][1 + visitor % 9]',
  ],
  ['ResolutionHeight', 'Int16', '[768, 800, 768, 900, 900, 1024, 1050, 1080, 0][1 + visitor % 9]'],
  ['ResolutionDepth', 'Int16', '[24, 32, 16][1 + visitor % 3]'],
  small('FlashMajor', 12),
  small('FlashMinor', 8),
  item('FlashMinor2', ['', '180', '202', '700']),
  none('NetMajor', 'Int16'),
  none('NetMinor', 'Int16'),
  small('UserAgentMajor', 40),
  item('UserAgentMinor', ['', '0', '5', 'D']),
  flag('CookieEnable', 1),
  flag('JavascriptEnable', 1),
  ['IsMobile', 'Int16', 'model > 0'],
  ['MobilePhone', 'Int16', 'model % 9'],
  ['MobilePhoneModel', 'String', "if(model = 0, '', concat('phone ', toString(model)))"],
  empty('Params'),
  wide('IPNetworkID', 4_000_000),
  ['TraficSourceID', 'Int16', "if(phrase <> '', 2, [-1, 0, 1, 3, 6][1 + number % 5])"],
  ['SearchEngineID', 'Int16', `if(phrase = '', 0, [2, 3, 13, 22][1 + ${skewed(4, 'engine', 2)}])`],
  ['SearchPhrase', 'String', 'phrase'],
  [
    'AdvEngineID',
    'Int16',
    `if(${randomBelow(60, 'advertised', 'number')} = 0, [2, 27, 13, 45, 44, 3, 62, 52][1 + ${skewed(8, 'advertiser', 2)}], 0)`,
  ],
  flag('IsArtifical', 12),
  ['WindowClientWidth', 'Int16', randomBetween([300, 1900], 'window width', 'number')],
  ['WindowClientHeight', 'Int16', randomBetween([200, 1000], 'window height', 'number')],
  ['ClientTimeZone', 'Int16', '[240, 180, 300, 360][1 + visitor % 4]'],
  ['ClientEventTime', 'DateTime', `time + ${randomBelow(100, 'client time', 'number')}`],
  small('SilverlightVersion1', 6),
  small('SilverlightVersion2', 2),
  wide('SilverlightVersion3', 60_000),
  none('SilverlightVersion4', 'Int16'),
  item('PageCharset', ['windows-1251', 'utf-8', '']),
  wide('CodeVersion', 1600),
  flag('IsLink', 5),
  flag('IsDownload', 30),
  flag('IsNotBounce', 4),
  ['FUniqID', 'Int64', "toInt64(sipHash64('unique', visitor))"],
  empty('OriginalURL'),
  wide('HID', 1_000_000_000),
  none('IsOldCounter', 'Int16'),
  flag('IsEvent', 20),
  none('IsParameter', 'Int16'),
  flag('DontCountHits', 8),
  flag('WithHash', 20),
  item('HitColor', ['5', 'E', 'D', 'g']),
  ['LocalEventTime', 'DateTime', 'time + 14400'],
  ['Age', 'Int16', '[0, 16, 22, 30, 40, 50][1 + visitor % 6]'],
  ['Sex', 'Int16', 'visitor % 3'],
  ['Income', 'Int16', 'visitor % 5'],
  small('Interests', 30_000),
  none('Robotness', 'Int16'),
  ['RemoteIP', 'Int32', "toInt32(sipHash64('remote ip', visitor))"],
  wide('WindowName', 5),
  wide('OpenerName', 5),
  small('HistoryLength', 30),
  item('BrowserLanguage', ['ru', 'en', 'uk', 'de']),
  item('BrowserCountry', ['RU', 'US', 'UA', 'DE']),
  empty('SocialNetwork'),
  empty('SocialAction'),
  none('HTTPError', 'Int16'),
  ...[
    'SendTiming',
    'DNSTiming',
    'ConnectTiming',
    'ResponseStartTiming',
    'ResponseEndTiming',
    'FetchTiming',
  ].map((name) => wide(name, 3000)),
  none('SocialSourceNetworkID', 'Int16'),
  empty('SocialSourcePage'),
  none('ParamPrice', 'Int64'),
  empty('ParamOrderID'),
  item('ParamCurrency', ['NH\u001c', '']),
  none('ParamCurrencyID', 'Int16'),
  ...[
    'OpenstatServiceName',
    'OpenstatCampaignID',
    'OpenstatAdID',
    'OpenstatSourceID',
    'UTMSource',
    'UTMMedium',
    'UTMCampaign',
    'UTMContent',
    'UTMTerm',
    'FromTag',
  ].map(empty),
  flag('HasGCLID', 100),
  [
    'RefererHash',
    'Int64',
    "if(referer LIKE '%/0', 3594120000172545465, toInt64(sipHash64(referer)))",
  ],
  ['URLHash', 'Int64', 'if(page = 0, 2868770270353813622, toInt64(sipHash64(url)))'],
  wide('CLID', 100),
];

export const table = `CREATE TABLE hits (\n  ${columns.map(([name, type]) => `${name} ${type}`).join(', ')}\n)
ENGINE = MergeTree ORDER BY (CounterID, EventDate, UserID, EventTime, WatchID)`;

if (columns.length !== 105) throw new Error(`hits has ${columns.length} columns`);
