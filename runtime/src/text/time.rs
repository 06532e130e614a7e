//! Dates and times of RFC 3339.
//!
//! The years 0000 to 9999 have a text, and the times of one day; what lies outside has none. Leap seconds have no number,
//! and so no text here.

use reschema_ir::{FaultKind, TextNum};

/// What a text tells, and its parts in a second.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Date,
    Time,
    /// With a zone.
    Stamp,
    /// Without.
    Local,
}

fn parts(form: TextNum) -> (What, i64) {
    match form {
        TextNum::TimeMilli => (What::Time, 1_000),
        TextNum::TimeMicro => (What::Time, 1_000_000),
        TextNum::StampMilli => (What::Stamp, 1_000),
        TextNum::StampMicro => (What::Stamp, 1_000_000),
        TextNum::StampNano => (What::Stamp, 1_000_000_000),
        TextNum::LocalMilli => (What::Local, 1_000),
        TextNum::LocalMicro => (What::Local, 1_000_000),
        TextNum::LocalNano => (What::Local, 1_000_000_000),
        _ => (What::Date, 1),
    }
}

/// What to say was expected.
pub(super) fn expected(form: TextNum) -> &'static str {
    match parts(form).0 {
        What::Date => "a date, as YYYY-MM-DD or a number of days",
        What::Time => "a time of day, as hh:mm:ss or a number",
        What::Stamp => "a time stamp, as YYYY-MM-DDThh:mm:ssZ or a number",
        What::Local => "a local time stamp, as YYYY-MM-DDThh:mm:ss or a number",
    }
}

const DAY: i64 = 86_400;
/// Days of 0000-01-01 and 9999-12-31.
const DAYS: std::ops::RangeInclusive<i64> = -719_528..=2_932_896;

/// Year, month and day of days since 1970-01-01, in the proleptic Gregorian calendar (Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let (era, day) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}

/// The opposite; `None` for a date that there is not.
fn days(year: i64, month: i64, date: i64) -> Option<i64> {
    if !(1..=12).contains(&month) {
        return None;
    }
    let shifted = year - i64::from(month <= 2);
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    (civil(days) == (year, month, date)).then_some(days)
}

/// Writes the text of a value, without quotes, into 30 bytes; `None` if it has none.
pub(super) fn print(value: i64, form: TextNum, out: &mut [u8; 32]) -> Option<usize> {
    let (what, unit) = parts(form);
    let mut to = Print { out, len: 0 };
    let (day, rest) = match what {
        What::Date => (value, 0),
        _ => (value.div_euclid(DAY * unit), value.rem_euclid(DAY * unit)),
    };
    match what {
        What::Time if day != 0 => return None,
        What::Time => {}
        _ if !DAYS.contains(&day) => return None,
        _ => {
            let (year, month, date) = civil(day);
            to.digits(year, 4);
            to.byte(b'-').digits(month, 2);
            to.byte(b'-').digits(date, 2);
        }
    }
    if what == What::Date {
        return Some(to.len);
    }
    if what != What::Time {
        to.byte(b'T');
    }
    let (second, fraction) = (rest / unit, rest % unit);
    to.digits(second / 3600, 2);
    to.byte(b':').digits(second / 60 % 60, 2);
    to.byte(b':').digits(second % 60, 2);
    to.byte(b'.').digits(fraction, unit.ilog10() as usize);
    if what == What::Stamp {
        to.byte(b'Z');
    }
    Some(to.len)
}

struct Print<'a> {
    out: &'a mut [u8; 32],
    len: usize,
}

impl Print<'_> {
    fn byte(&mut self, byte: u8) -> &mut Self {
        self.out[self.len] = byte;
        self.len += 1;
        self
    }

    fn digits(&mut self, mut value: i64, count: usize) {
        for i in (0..count).rev() {
            self.out[self.len + i] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.len += count;
    }
}

/// The value of a text.
pub(super) fn parse(text: &[u8], form: TextNum) -> Result<i64, FaultKind> {
    let (what, unit) = parts(form);
    let mut from = Parse { text };
    let value = from.value(what, unit).ok_or(FaultKind::Type)?;
    if from.text.is_empty() { value } else { Err(FaultKind::Type) }
}

struct Parse<'a> {
    text: &'a [u8],
}

impl Parse<'_> {
    /// `None` if it is no such text; a fault of range if it is one that the unit or 64 bits do not hold.
    fn value(&mut self, what: What, unit: i64) -> Option<Result<i64, FaultKind>> {
        let mut day = 0;
        if what != What::Time {
            let year = self.digits(4)?;
            self.byte(b"-")?;
            let month = self.digits(2)?;
            self.byte(b"-")?;
            day = days(year, month, self.digits(2)?)?;
        }
        if what == What::Date {
            return Some(Ok(day));
        }
        if what != What::Time {
            self.byte(b"Tt ")?;
        }
        let (hour, minute) = (self.digits(2)?, self.byte(b":").and_then(|_| self.digits(2))?);
        let second = self.byte(b":").and_then(|_| self.digits(2))?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let fraction = self.fraction(unit)?;
        let offset = if what == What::Stamp { self.zone()? } else { 0 };
        let seconds = day * DAY + hour * 3600 + minute * 60 + second - offset;
        let value = i128::from(seconds) * i128::from(unit);
        Some(fraction.and_then(|f| i64::try_from(value + i128::from(f)).map_err(|_| FaultKind::Range)))
    }

    fn byte(&mut self, any: &[u8]) -> Option<u8> {
        let (first, rest) = self.text.split_first()?;
        self.text = rest;
        any.contains(first).then_some(*first)
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.text.split_at_checked(count)?;
        self.text = rest;
        digits.iter().try_fold(0, |v, b| b.is_ascii_digit().then(|| v * 10 + i64::from(b - b'0')))
    }

    /// Digits finer than the unit must be zeros.
    fn fraction(&mut self, unit: i64) -> Option<Result<i64, FaultKind>> {
        let Some((b'.', rest)) = self.text.split_first() else { return Some(Ok(0)) };
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 {
            return None;
        }
        let (digits, behind) = rest.split_at(count);
        self.text = behind;
        let places = unit.ilog10() as usize;
        if digits.iter().skip(places).any(|b| *b != b'0') {
            return Some(Err(FaultKind::Range));
        }
        let digit = |i: usize| digits.get(i).map_or(0, |b| i64::from(b - b'0'));
        Some(Ok((0..places).fold(0, |v, i| v * 10 + digit(i))))
    }

    /// Seconds east of Greenwich.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.byte(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let (hour, minute) = (self.digits(2)?, self.byte(b":").and_then(|_| self.digits(2))?);
        (hour < 24 && minute < 60).then_some(sign * (hour * 3600 + minute * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: i64, form: TextNum) -> Option<String> {
        let mut out = [0; 32];
        print(value, form, &mut out).map(|n| String::from_utf8_lossy(&out[..n]).into_owned())
    }

    #[test]
    fn known_texts() {
        use TextNum::*;
        for (value, form, text) in [
            (0, Date, "1970-01-01"),
            (-1, Date, "1969-12-31"),
            (-719_528, Date, "0000-01-01"),
            (2_932_896, Date, "9999-12-31"),
            (11_016, Date, "2000-02-29"),
            (86_399_999, TimeMilli, "23:59:59.999"),
            (0, TimeMicro, "00:00:00.000000"),
            (-1, StampMilli, "1969-12-31T23:59:59.999Z"),
            (1_700_000_000_123_456, StampMicro, "2023-11-14T22:13:20.123456Z"),
            (i64::MAX, StampNano, "2262-04-11T23:47:16.854775807Z"),
            (i64::MIN, StampNano, "1677-09-21T00:12:43.145224192Z"),
            (1, LocalMilli, "1970-01-01T00:00:00.001"),
        ] {
            assert_eq!(shown(value, form).as_deref(), Some(text));
            assert_eq!(parse(text.as_bytes(), form), Ok(value), "{text}");
        }
    }

    #[test]
    fn every_day_there_and_back() {
        for day in DAYS {
            let (year, month, date) = civil(day);
            assert_eq!(days(year, month, date), Some(day));
        }
    }

    #[test]
    fn what_has_no_text_and_what_is_none() {
        use TextNum::*;
        assert_eq!(shown(2_932_897, Date), None);
        assert_eq!(shown(i64::MIN, StampMicro), None);
        assert_eq!(shown(86_400_000, TimeMilli), None);
        assert_eq!(shown(-1, TimeMilli), None);
        for (text, form, kind) in [
            ("2001-02-29", Date, FaultKind::Type),
            ("2001-2-9", Date, FaultKind::Type),
            ("2001-02-01T00:00:00Z", Date, FaultKind::Type),
            ("24:00:00", TimeMilli, FaultKind::Type),
            ("00:00:00.0001", TimeMilli, FaultKind::Range),
            ("2001-02-01T00:00:00", StampMilli, FaultKind::Type),
            ("2001-02-01T00:00:60Z", StampMilli, FaultKind::Type),
            ("2001-02-01T00:00:00Z", LocalMilli, FaultKind::Type),
            ("2300-01-01T00:00:00Z", StampNano, FaultKind::Range),
        ] {
            assert_eq!(parse(text.as_bytes(), form), Err(kind), "{text}");
        }
        assert_eq!(parse(b"2001-02-01t02:00:00.5+02:00", StampMilli), parse(b"2001-02-01T00:00:00.500Z", StampMilli));
        assert_eq!(parse(b"00:00:00.1000", TimeMilli), Ok(100));
    }
}
