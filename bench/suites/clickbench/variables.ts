/** The same 43 queries as a dashboard saves them: with the site, the days, the region or the words as variables. */
import type { Values } from '../suite.ts';
import { host, widths } from './constants.ts';

interface WithVariables {
  readonly sql: string;
  readonly values: readonly Values[];
}

const counter = 'CounterID = {counter:Int32}';
const days = 'EventDate >= {from:Date} AND EventDate <= {to:Date}';
const times = 'EventTime >= {from:DateTime} AND EventTime < {to:DateTime}';
const region = 'RegionID = {region:Int32}';
const site = `${counter} AND ${days}`;

const july = { from: '2013-07-01', to: '2013-07-31' };
const week = { from: '2013-07-08', to: '2013-07-14' };
const day = { from: '2013-07-20', to: '2013-07-20' };
const morning = { from: '2013-07-14 06:00:00', to: '2013-07-14 12:00:00' };
const hours = { from: '2013-07-01 00:00:00', to: '2013-07-03 18:30:00' };
const minutes = { from: '2013-07-20 09:15:00', to: '2013-07-20 09:45:00' };

const ofCounters: readonly Values[] = [{ counter: 62 }, { counter: 1704509 }, { counter: 38 }];
const ofDays: readonly Values[] = [july, week, day];
const ofTimes: readonly Values[] = [morning, hours, minutes];
const ofRegions: readonly Values[] = [{ region: 229 }, { region: 2 }, { region: 104 }];
const ofSites: readonly Values[] = [
  { counter: 62, ...july },
  { counter: 62, ...week },
  { counter: 1704509, ...day },
];
const ofWords: readonly Values[] = [
  { url: '%google%' },
  { url: 'http://site1%' },
  { url: '%/news/%' },
];

export const variables: readonly WithVariables[] = [
  { sql: `SELECT COUNT(*) FROM hits WHERE ${site}`, values: ofSites },
  {
    sql: 'SELECT COUNT(*) FROM hits WHERE AdvEngineID <> {engine:Int16}',
    values: [{ engine: 0 }, { engine: 2 }, { engine: 27 }],
  },
  {
    sql: `SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM hits WHERE ${days}`,
    values: ofDays,
  },
  { sql: `SELECT AVG(UserID) FROM hits WHERE ${counter}`, values: ofCounters },
  { sql: `SELECT COUNT(DISTINCT UserID) FROM hits WHERE ${days}`, values: ofDays },
  { sql: `SELECT COUNT(DISTINCT SearchPhrase) FROM hits WHERE ${region}`, values: ofRegions },
  { sql: `SELECT MIN(EventDate), MAX(EventDate) FROM hits WHERE ${counter}`, values: ofCounters },
  {
    sql: `SELECT AdvEngineID, COUNT(*) FROM hits WHERE AdvEngineID <> 0 AND ${times} GROUP BY AdvEngineID ORDER BY COUNT(*) DESC`,
    values: ofTimes,
  },
  {
    sql: `SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM hits WHERE ${days} GROUP BY RegionID ORDER BY u DESC LIMIT {top:UInt32}`,
    values: [
      { ...july, top: 10 },
      { ...week, top: 3 },
      { ...day, top: 100 },
    ],
  },
  {
    sql: `SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM hits WHERE ${site} GROUP BY RegionID ORDER BY c DESC LIMIT 10`,
    values: ofSites,
  },
  {
    sql: `SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' AND ${region} GROUP BY MobilePhoneModel ORDER BY u DESC LIMIT 10`,
    values: ofRegions,
  },
  {
    sql: `SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' AND ${days} GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC LIMIT 10`,
    values: ofDays,
  },
  {
    sql: `SELECT SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' AND ${days} GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10`,
    values: ofDays,
  },
  {
    sql: "SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM hits WHERE SearchPhrase <> '' AND RegionID IN {regions:Array(Int32)} GROUP BY SearchPhrase ORDER BY u DESC LIMIT 10",
    values: [{ regions: [229, 2] }, { regions: [104] }, { regions: [1, 3, 104, 999999] }],
  },
  {
    sql: "SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' AND SearchEngineID = {engine:Int16} GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC LIMIT 10",
    values: [{ engine: 2 }, { engine: 3 }, { engine: 99 }],
  },
  {
    sql: `SELECT UserID, COUNT(*) FROM hits WHERE ${counter} GROUP BY UserID ORDER BY COUNT(*) DESC LIMIT {top:UInt32}`,
    values: [
      { counter: 62, top: 10 },
      { counter: 1704509, top: 1 },
      { counter: 38, top: 50 },
    ],
  },
  {
    sql: 'SELECT UserID, SearchPhrase, COUNT(*) FROM hits WHERE SearchPhrase LIKE {phrase:String} GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10',
    values: [{ phrase: '%' }, { phrase: 'cheap%' }, { phrase: '%weather%' }],
  },
  {
    sql: `SELECT UserID, SearchPhrase, COUNT(*) FROM hits WHERE ${counter} GROUP BY UserID, SearchPhrase LIMIT 10`,
    values: ofCounters,
  },
  {
    sql: `SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM hits WHERE ${times} GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC LIMIT 10`,
    values: ofTimes,
  },
  {
    sql: 'SELECT UserID FROM hits WHERE UserID = {user:Int64}',
    values: [{ user: '435090932899640449' }, { user: '-1' }, { user: '6' }],
  },
  { sql: 'SELECT COUNT(*) FROM hits WHERE URL LIKE {url:String}', values: ofWords },
  {
    sql: "SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM hits WHERE URL LIKE {url:String} AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10",
    values: ofWords,
  },
  {
    sql: "SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM hits WHERE Title LIKE {title:String} AND URL NOT LIKE {url:String} AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC LIMIT 10",
    values: [
      { title: '%Google%', url: '%.google.%' },
      { title: '%Weather%', url: '%.ru/%' },
      { title: '%', url: '' },
    ],
  },
  {
    sql: 'SELECT * FROM hits WHERE URL LIKE {url:String} ORDER BY EventTime LIMIT 10',
    values: ofWords,
  },
  {
    sql: "SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' AND ({region:Nullable(Int32)} IS NULL OR RegionID = {region:Nullable(Int32)}) ORDER BY EventTime LIMIT 10",
    values: [{ region: null }, { region: 229 }, { region: 104 }],
  },
  {
    sql: `SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' AND ${counter} ORDER BY SearchPhrase LIMIT 10`,
    values: ofCounters,
  },
  {
    sql: `SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' AND ${times} ORDER BY EventTime, SearchPhrase LIMIT 10`,
    values: ofTimes,
  },
  {
    sql: "SELECT CounterID, AVG(length(URL)) AS l, COUNT(*) AS c FROM hits WHERE URL <> '' GROUP BY CounterID HAVING COUNT(*) > {hits:UInt64} ORDER BY l DESC LIMIT 25",
    values: [{ hits: 100000 }, { hits: 1000 }, { hits: 10 }],
  },
  {
    sql: `SELECT ${host} AS k, AVG(length(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM hits WHERE Referer <> '' AND ${days} GROUP BY k HAVING COUNT(*) > {hits:UInt64} ORDER BY l DESC LIMIT 25`,
    values: [
      { ...july, hits: 100000 },
      { ...week, hits: 100 },
      { ...day, hits: 1 },
    ],
  },
  { sql: `SELECT ${widths} FROM hits WHERE ${days}`, values: ofDays },
  {
    sql: `SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' AND ${days} GROUP BY SearchEngineID, ClientIP ORDER BY c DESC LIMIT 10`,
    values: ofDays,
  },
  {
    sql: `SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' AND ${counter} GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10`,
    values: ofCounters,
  },
  {
    sql: `SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE ${region} GROUP BY WatchID, ClientIP ORDER BY c DESC LIMIT 10`,
    values: ofRegions,
  },
  {
    sql: `SELECT URL, COUNT(*) AS c FROM hits WHERE ${days} GROUP BY URL ORDER BY c DESC LIMIT 10`,
    values: ofDays,
  },
  {
    sql: `SELECT 1, URL, COUNT(*) AS c FROM hits WHERE ${counter} GROUP BY 1, URL ORDER BY c DESC LIMIT 10`,
    values: ofCounters,
  },
  {
    sql: `SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM hits WHERE ${region} GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC LIMIT 10`,
    values: ofRegions,
  },
  {
    sql: `SELECT URL, COUNT(*) AS PageViews FROM hits WHERE ${site} AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> '' GROUP BY URL ORDER BY PageViews DESC LIMIT 10`,
    values: ofSites,
  },
  {
    sql: `SELECT Title, COUNT(*) AS PageViews FROM hits WHERE ${site} AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> '' GROUP BY Title ORDER BY PageViews DESC LIMIT 10`,
    values: ofSites,
  },
  {
    sql: `SELECT URL, COUNT(*) AS PageViews FROM hits WHERE ${site} AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC LIMIT 10 OFFSET {skip:UInt32}`,
    values: [
      { counter: 62, ...july, skip: 1000 },
      { counter: 62, ...week, skip: 0 },
      { counter: 1704509, ...day, skip: 10 },
    ],
  },
  {
    sql: `SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END AS Src, URL AS Dst, COUNT(*) AS PageViews FROM hits WHERE ${site} AND IsRefresh = 0 GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst ORDER BY PageViews DESC LIMIT 10 OFFSET 1000`,
    values: ofSites,
  },
  {
    sql: `SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM hits WHERE ${site} AND IsRefresh = 0 AND TraficSourceID IN {sources:Array(Int16)} AND RefererHash = {referer:Int64} GROUP BY URLHash, EventDate ORDER BY PageViews DESC LIMIT 10 OFFSET 100`,
    values: [
      { counter: 62, ...july, sources: [-1, 6], referer: '3594120000172545465' },
      { counter: 62, ...week, sources: [0, 3], referer: '3594120000172545465' },
      { counter: 38, ...july, sources: [-1, 0, 1, 2, 3, 6], referer: '3594120000172545465' },
    ],
  },
  {
    sql: `SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM hits WHERE ${site} AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = {page:Int64} GROUP BY WindowClientWidth, WindowClientHeight ORDER BY PageViews DESC LIMIT 10 OFFSET {skip:UInt32}`,
    values: [
      { counter: 62, ...july, page: '2868770270353813622', skip: 10000 },
      { counter: 62, ...july, page: '2868770270353813622', skip: 0 },
      { counter: 38, ...week, page: '2868770270353813622', skip: 3 },
    ],
  },
  {
    sql: `SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM hits WHERE ${site} AND IsRefresh = 0 AND DontCountHits = 0 GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET 1000`,
    values: [
      { counter: 62, from: '2013-07-14', to: '2013-07-15' },
      { counter: 62, ...july },
      { counter: 38, ...week },
    ],
  },
];
