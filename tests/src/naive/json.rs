//! A small JSON reader, so that the naive oracle shares nothing with the engine: key order and the spelling of numbers
//! are kept; of duplicate keys the last value counts, at the place of the first.

/// Nesting beyond which a text is refused: the reader recurses.
const DEEPEST: usize = 500;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text.
    pub(super) fn parse(text: &str) -> Option<Json> {
        let mut r = Reader { text, at: 0, all: false };
        let value = r.value(0)?;
        r.space();
        (r.at == text.len()).then_some(value)
    }

    /// Reads the value that a text begins with, duplicate keys kept, and tells where it ends. Words and numbers end where
    /// white space or punctuation follows.
    pub(super) fn first(text: &str) -> Option<(Json, usize)> {
        let mut r = Reader { text, at: 0, all: true };
        let value = r.value(0)?;
        let bare = matches!(value, Json::Null | Json::Bool(_) | Json::Number(_));
        let ends = r.peek().is_none_or(|b| b" \t\r\n,:]}".contains(&b));
        (ends || !bare).then_some((value, r.at))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(entries) = self else { return None };
        entries.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Json::String(s) = self { Some(s) } else { None }
    }

    /// A number without point and exponent.
    pub(super) fn integer(&self) -> Option<i128> {
        match self {
            Json::Number(n) if !n.contains(['.', 'e', 'E']) => n.parse().ok(),
            _ => None,
        }
    }

    pub(super) fn as_f64(&self) -> Option<f64> {
        if let Json::Number(n) = self { n.parse().ok() } else { None }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Duplicate keys are kept.
    all: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes `word` if it stands next.
    fn eat(&mut self, word: &str) -> Option<()> {
        let next = self.text.get(self.at..)?.starts_with(word);
        self.at += if next { word.len() } else { 0 };
        next.then_some(())
    }

    fn value(&mut self, deep: usize) -> Option<Json> {
        self.space();
        if deep > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'n' => self.eat("null").map(|()| Json::Null),
            b't' => self.eat("true").map(|()| Json::Bool(true)),
            b'f' => self.eat("false").map(|()| Json::Bool(false)),
            b'"' => self.string().map(Json::String),
            b'[' => self.array(deep),
            b'{' => self.object(deep),
            _ => self.number(),
        }
    }

    fn array(&mut self, deep: usize) -> Option<Json> {
        self.eat("[")?;
        let mut items = vec![];
        self.space();
        if self.eat("]").is_some() {
            return Some(Json::Array(items));
        }
        loop {
            items.push(self.value(deep + 1)?);
            self.space();
            if self.eat("]").is_some() {
                return Some(Json::Array(items));
            }
            self.eat(",")?;
        }
    }

    fn object(&mut self, deep: usize) -> Option<Json> {
        self.eat("{")?;
        let mut entries: Vec<(String, Json)> = vec![];
        self.space();
        if self.eat("}").is_some() {
            return Some(Json::Object(entries));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            self.eat(":")?;
            let value = self.value(deep + 1)?;
            match entries.iter_mut().find(|(k, _)| *k == key && !self.all) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
            self.space();
            if self.eat("}").is_some() {
                return Some(Json::Object(entries));
            }
            self.eat(",")?;
        }
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    fn number(&mut self) -> Option<Json> {
        let from = self.at;
        let _ = self.eat("-");
        if self.eat("0").is_none() {
            self.digits()?;
        }
        if self.eat(".").is_some() {
            self.digits()?;
        }
        if self.eat("e").or_else(|| self.eat("E")).is_some() {
            let _ = self.eat("+").or_else(|| self.eat("-"));
            self.digits()?;
        }
        Some(Json::Number(self.text[from..self.at].to_string()))
    }

    fn string(&mut self) -> Option<String> {
        self.eat("\"")?;
        let mut out = String::new();
        loop {
            let c = self.text.get(self.at..)?.chars().next()?;
            self.at += c.len_utf8();
            match c {
                '"' => return Some(out),
                '\\' => out.push(self.escape()?),
                '\0'..='\x1f' => return None,
                c => out.push(c),
            }
        }
    }

    /// What stands behind a backslash. Half a surrogate pair alone is no text.
    fn escape(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(match c {
            b'"' | b'\\' | b'/' => char::from(c),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex4()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return char::from_u32(high);
                }
                self.eat("\\u")?;
                let low = self.hex4()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?
            }
            _ => return None,
        })
    }

    fn hex4(&mut self) -> Option<u32> {
        let four = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        let all = four.bytes().all(|b| b.is_ascii_hexdigit());
        all.then(|| u32::from_str_radix(four, 16).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn keeps_order_and_spelling() {
        let json = Json::parse(r#" {"b":[1.0,-0,1e3,"\u00e9\ud834\udd1e\n"],"a":null,"b":[18446744073709551616]} "#);
        let json = json.expect("JSON");
        let big = Json::Array(vec![Json::Number("18446744073709551616".into())]);
        assert_eq!(json, Json::Object(vec![("b".into(), big), ("a".into(), Json::Null)]));
        assert_eq!(Json::parse(r#""\u00e9\ud834\udd1e\n""#).expect("JSON").as_str(), Some("é𝄞\n"));
        assert_eq!(Json::parse("1.0").expect("JSON").integer(), None);
        assert_eq!(Json::parse("-0").expect("JSON").integer(), Some(0));
    }

    #[test]
    fn refuses_what_is_not_json() {
        let deep = "[".repeat(100_000);
        for text in [
            "",
            "[1,]",
            "{\"a\"}",
            "01",
            "1.",
            ".5",
            "+1",
            "NaN",
            "\"\n\"",
            "\"\\ud800\"",
            "[] []",
            "tru",
            "\"\\x\"",
            "{,}",
            &deep,
        ] {
            assert_eq!(Json::parse(text), None, "{text:.20}");
        }
    }
}
