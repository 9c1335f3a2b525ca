// Formats numbers and times for the page. Pure functions; every one accepts null or undefined as "not known".

const NOT_KNOWN = '–';
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const HMS = { hour: 'numeric', minute: 'numeric', second: 'numeric' };
const timeOfDay = new Intl.DateTimeFormat(undefined, HMS);
const dateAndTime = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'numeric', day: 'numeric', ...HMS });
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const COUNT_UNITS = ['', ' k', ' M', ' G', ' T'];
const GROUPED_MAX = 9_999_999;

/** Three significant digits, trailing zeros kept so that columns stay calm: 1.20, 12.4, 124. */
function threeDigits(value) {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

function scaled(value, base, units) {
  let unit = 0;
  while (value >= base * 0.9995 && unit < units.length - 1) {
    value /= base;
    unit += 1;
  }
  return [value, units[unit], unit];
}

export function count(value) {
  if (value == null) return NOT_KNOWN;
  if (value <= GROUPED_MAX) return grouped.format(value);
  const [number, unit] = scaled(value, 1000, COUNT_UNITS);
  return threeDigits(number) + unit;
}

/** @returns {[string, string]} the number and its unit, to be set apart in type */
export function bytesParts(value) {
  if (value == null) return [NOT_KNOWN, ''];
  const [number, unit, step] = scaled(value, 1024, BYTE_UNITS);
  return [step === 0 ? grouped.format(number) : threeDigits(number), unit];
}

export function bytes(value) {
  const [number, unit] = bytesParts(value);
  return unit ? `${number} ${unit}` : number;
}

/** Events per second. */
export function rate(value) {
  if (value == null) return NOT_KNOWN;
  if (value === 0) return '0';
  return value < 10 ? value.toFixed(1) : count(Math.round(value));
}

export function micros(value) {
  if (!value) return NOT_KNOWN;
  if (value < 1000) return `${grouped.format(value)} µs`;
  const ms = value / 1000;
  return ms < 1000 ? `${ms < 100 ? ms.toFixed(1) : ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Two units at most: 12 s, 4 min 12 s, 2 h 5 min, 3 d 4 h. */
export function duration(ms) {
  if (ms == null) return NOT_KNOWN;
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor(s / 3600) % 24} h`;
}

/** The time of day where the reader is, with the date if that is not today's. */
export function clock(ms, now) {
  const [at, today] = [new Date(ms), new Date(now)];
  return (at.toDateString() === today.toDateString() ? timeOfDay : dateAndTime).format(at);
}

export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** CONNECTED becomes connected. */
export function word(state) {
  return String(state).toLowerCase().replaceAll('_', ' ');
}
