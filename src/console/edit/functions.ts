/** Frequently used functions with descriptions, for the editor's completion. */

export interface SqlFunction {
  readonly name: string;
  readonly usage: string;
  readonly about: string;
}

const lines = `
count()|Number of rows.
countIf(condition)|Number of rows for which the condition holds.
uniq(x, …)|Approximate number of different values.
uniqExact(x, …)|Exact number of different values.
sum(x)|Sum.
sumIf(x, condition)|Sum over the rows for which the condition holds.
avg(x)|Average.
avgIf(x, condition)|Average over the rows for which the condition holds.
min(x)|Smallest value.
max(x)|Largest value.
any(x)|Some value of the group.
anyLast(x)|The value that was read last.
argMin(value, by)|The value in the row where the second is smallest.
argMax(value, by)|The value in the row where the second is largest.
median(x)|Approximate median.
quantile(level)(x)|Approximate quantile; the level is between 0 and 1.
quantiles(level, …)(x)|Several approximate quantiles as an array.
quantileExact(level)(x)|Exact quantile.
stddevPop(x)|Standard deviation of all values.
stddevSamp(x)|Standard deviation of a sample.
varPop(x)|Variance of all values.
corr(x, y)|Correlation.
topK(n)(x)|About the n most frequent values.
groupArray(x)|All values of the group as an array.
groupUniqArray(x)|The different values of the group as an array.
row_number() OVER (…)|Number of the row in its window, from 1.
rank() OVER (…)|Rank in the window, with gaps after ties.
dense_rank() OVER (…)|Rank in the window, without gaps.
lagInFrame(x, offset)|Value of an earlier row of the window.
leadInFrame(x, offset)|Value of a later row of the window.
toDate(x)|As a date.
toDateTime(x)|As a date with time, to the second.
toDateTime64(x, digits)|As a date with time and fractions of seconds.
toStartOfMinute(time)|Beginning of the minute.
toStartOfFiveMinutes(time)|Beginning of the five minutes.
toStartOfHour(time)|Beginning of the hour.
toStartOfDay(time)|Midnight of the day.
toStartOfWeek(date)|First day of the week, a Sunday; with mode 1 a Monday.
toMonday(date)|Monday of the week.
toStartOfMonth(date)|First day of the month.
toStartOfQuarter(date)|First day of the quarter.
toStartOfYear(date)|First day of the year.
toStartOfInterval(time, INTERVAL n unit)|Beginning of the interval, as INTERVAL 15 minute.
toYear(date)|Year.
toQuarter(date)|Quarter, 1 to 4.
toMonth(date)|Month, 1 to 12.
toDayOfMonth(date)|Day of the month, 1 to 31.
toDayOfWeek(date)|Day of the week, Monday is 1.
toHour(time)|Hour, 0 to 23.
toMinute(time)|Minute, 0 to 59.
dateDiff(unit, from, to)|How many boundaries of the unit lie between two times.
dateAdd(unit, n, date)|A later date.
dateSub(unit, n, date)|An earlier date.
formatDateTime(time, format)|As text, by a format such as %Y-%m-%d.
parseDateTimeBestEffort(text)|Time in any of the usual notations.
today()|Current date.
now()|Current time.
if(condition, a, b)|The first value if the condition holds, else the second.
multiIf(condition, value, …, otherwise)|The value of the first condition that holds.
coalesce(x, …)|The first value that is not null.
ifNull(x, otherwise)|The second value where the first is null.
nullIf(x, y)|Null where both are equal.
greatest(x, …)|The largest of several values.
least(x, …)|The smallest of several values.
abs(x)|Without its sign.
round(x, digits)|Rounded.
floor(x)|Rounded down.
ceil(x)|Rounded up.
intDiv(a, b)|Quotient without its fraction.
modulo(a, b)|Remainder.
sqrt(x)|Square root.
log(x)|Natural logarithm.
exp(x)|Power of e.
pow(x, y)|Power.
toInt64(x)|As a whole number.
toUInt64(x)|As a whole number from 0.
toFloat64(x)|As a floating point number.
toDecimal64(x, digits)|As a decimal number.
toString(x)|As text.
toInt64OrNull(text)|A whole number, or null where the text is none.
toFloat64OrNull(text)|A number, or null where the text is none.
lower(text)|In small letters; lowerUTF8 for other alphabets.
upper(text)|In capital letters; upperUTF8 for other alphabets.
length(x)|Bytes of a text, elements of an array.
lengthUTF8(text)|Characters of a text.
concat(x, …)|Texts joined.
substring(text, from, length)|Part of a text; the first character is 1.
replaceAll(text, what, by)|With every occurrence replaced.
trim(text)|Without spaces at both ends.
startsWith(text, prefix)|Whether it begins so.
endsWith(text, suffix)|Whether it ends so.
position(text, part)|Where the part begins, or 0.
match(text, pattern)|Whether the regular expression is found.
extract(text, pattern)|What the regular expression finds.
splitByChar(separator, text)|Parts as an array.
splitByString(separator, text)|Parts as an array.
domain(url)|Host of a URL.
path(url)|Path of a URL.
JSONExtractString(json, key, …)|Text at a path of JSON.
JSONExtractInt(json, key, …)|Whole number at a path of JSON.
JSONExtractFloat(json, key, …)|Number at a path of JSON.
has(array, x)|Whether the array contains the value.
arrayJoin(array)|One row for each element.
arrayMap(x -> …, array)|Each element changed.
arrayFilter(x -> …, array)|The elements for which it holds.
arrayElement(array, n)|The element at a place, from 1.
arraySort(array)|Sorted.
arrayDistinct(array)|Different elements.
arrayStringConcat(array, separator)|Elements joined as text.
range(n)|The array of 0 to n - 1.
tuple(x, …)|Several values as one.
map(key, value, …)|Values by keys.
bar(x, min, max, width)|A bar of characters, to see magnitudes at once.
formatReadableSize(bytes)|Bytes for people.
formatReadableQuantity(x)|Large numbers for people.
greatCircleDistance(lon1, lat1, lon2, lat2)|Metres between two places on the earth.
cityHash64(x, …)|Hash for grouping and sampling.
`;

export const sqlFunctions: readonly SqlFunction[] = lines
  .trim()
  .split('\n')
  .map((line) => {
    const [usage = '', about = ''] = line.split('|');
    return { name: /^\w+/.exec(usage)?.[0] ?? usage, usage, about };
  });
