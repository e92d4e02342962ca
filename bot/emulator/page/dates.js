// Times as the viewer reads them: their zone, their language, 24 hours like the times apps write themselves.

const DAY = 86400000;

const format = (user, options) =>
  new Intl.DateTimeFormat(user.locale, { timeZone: user.tz, hourCycle: "h23", ...options });

const dayNumber = (date, user) => {
  const parts = Object.fromEntries(
    format(user, { year: "numeric", month: "numeric", day: "numeric", calendar: "gregory", numberingSystem: "latn" })
      .formatToParts(date).map(({ type, value }) => [type, Number(value)]));
  return Math.round(Date.UTC(parts.year, parts.month - 1, parts.day) / DAY);
};

/** Hours and minutes of a Unix time in seconds. */
export const clock = (seconds, user) =>
  format(user, { hour: "2-digit", minute: "2-digit" }).format(new Date(seconds * 1000));

/** The full date and time, for a tooltip. */
export const moment = (seconds, user) =>
  format(user, { dateStyle: "full", timeStyle: "short" }).format(new Date(seconds * 1000));

/** A number that is equal for two times on the viewer's same day. */
export const dayKey = (seconds, user) => dayNumber(new Date(seconds * 1000), user);

/** “Today”, “Yesterday” or the date, for the line between days. */
export function dayName(seconds, user) {
  const date = new Date(seconds * 1000);
  return near(date, user) ?? format(user, { weekday: "long", day: "numeric", month: "long" }).format(date);
}

function near(date, user) {
  const away = dayNumber(date, user) - dayNumber(new Date(), user);
  if (Math.abs(away) > 1) return null;
  const words = new Intl.RelativeTimeFormat(user.locale, { numeric: "auto" }).format(away, "day");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function ago(date, user) {
  const words = new Intl.RelativeTimeFormat(user.locale, { numeric: "auto" });
  const seconds = (date - Date.now()) / 1000;
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return words.format(Math.trunc(seconds), "second");
}

const PARTS = {
  time: { hour: "2-digit", minute: "2-digit" },
  time_secs: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  date: { year: "numeric", month: "long", day: "numeric" },
  date_short: { year: "numeric", month: "short", day: "numeric" },
  date_long: { year: "numeric", month: "long", day: "numeric", weekday: "long" },
  date_slash: { year: "numeric", month: "2-digit", day: "2-digit" },
};

/**
 * Fill the tokens of `<!date^seconds^format>`; null when the format names a token that doesn't exist.
 * Source: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export function dateText(seconds, text, user) {
  const date = new Date(seconds * 1000);
  let known = Number.isFinite(date.getTime());
  const filled = !known ? "" : text.replace(/\{(\w+)\}/g, (whole, token) => {
    const plain = token.replace(/_pretty$/, "");
    if (token === "ago") return ago(date, user);
    if (token === "date_num") return format({ ...user, locale: "sv-SE" }, PARTS.date_slash).format(date);
    if (!(plain in PARTS)) known = false;
    if (!known) return whole;
    return (plain !== token && near(date, user)?.toLowerCase()) || format(user, PARTS[plain]).format(date);
  });
  return known ? filled : null;
}
