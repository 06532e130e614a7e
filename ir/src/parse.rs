//! Reads the text form back. Used by tests of passes (text in, text out) and by people.
//!
//! Grammar: tokens separated by white space; see the printer. Comments run from `;` to the end of the line.

use crate::op::Op;
use crate::operand::{Bodies, Body, Inst, Site};
use crate::program::{Function, Path, Program, Table};
use std::fmt;

/// Deepest nesting of bodies accepted, so that text cannot exhaust the stack.
const MAX_NESTING: usize = 512;

/// Why a text is not a Program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// 1-based line.
    pub line: usize,
    /// Expected and found.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// A cursor over the tokens of a text.
pub struct Parser<'a> {
    tokens: Vec<(usize, &'a str)>,
    pos: usize,
    nesting: usize,
    value: Option<&'a str>,
    site: Option<Site>,
}

type Result<T> = std::result::Result<T, ParseError>;

impl std::str::FromStr for Program {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Program> {
        Parser::new(text)?.program()
    }
}

fn tokenize(text: &str) -> Result<Vec<(usize, &str)>> {
    let mut tokens = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut rest = line.trim_start();
        while !rest.is_empty() && !rest.starts_with(';') {
            let len = token_len(rest).ok_or(ParseError { line: n + 1, message: "string without an end".into() })?;
            tokens.push((n + 1, &rest[..len]));
            rest = rest[len..].trim_start();
        }
    }
    Ok(tokens)
}

fn token_len(rest: &str) -> Option<usize> {
    if !rest.starts_with('"') {
        return Some(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    }
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Parser<'a>> {
        Ok(Parser { tokens: tokenize(text)?, pos: 0, nesting: 0, value: None, site: None })
    }

    fn line(&self) -> usize {
        self.tokens.get(self.pos.min(self.tokens.len().saturating_sub(1))).map_or(0, |t| t.0)
    }

    fn error<T>(&self, message: String) -> Result<T> {
        Err(ParseError { line: self.line(), message })
    }

    pub(crate) fn unknown(&self, what: &str, word: &str) -> ParseError {
        ParseError { line: self.line(), message: format!("unknown {what} {word:?}") }
    }

    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.pos).map(|t| t.1)
    }

    fn next(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(t) => {
                self.pos += 1;
                Ok(t)
            }
            None => self.error("text ends early".into()),
        }
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        let found = self.next()?;
        if found == token { Ok(()) } else { self.error(format!("expected {token:?}, found {found:?}")) }
    }

    /// Positions the parser at operand `name`: `name=value` on the line, or a nested body after it.
    pub(crate) fn operand(&mut self, name: &str, nested: bool) -> Result<&mut Self> {
        if nested {
            self.read_site()?;
            return Ok(self);
        }
        let token = self.next()?;
        match token.split_once('=') {
            Some((n, v)) if n == name => {
                self.value = Some(v);
                Ok(self)
            }
            _ => self.error(format!("expected {name}=…, found {token:?}")),
        }
    }

    fn read_site(&mut self) -> Result<()> {
        let token = self.next()?;
        match token.strip_prefix('!').and_then(|n| n.parse().ok()) {
            Some(n) => {
                self.site = Some(Site(n));
                Ok(())
            }
            None => self.error(format!("expected !site, found {token:?}")),
        }
    }

    /// The value of the current operand as a word.
    pub(crate) fn word(&mut self) -> Result<&'a str> {
        match self.value.take() {
            Some(v) => Ok(v),
            None => self.error("operand without a value".into()),
        }
    }

    pub(crate) fn integer<T: std::str::FromStr>(&mut self) -> Result<T> {
        let word = self.word()?;
        word.parse().map_err(|_| self.unknown("number", word))
    }

    pub(crate) fn index<T: std::str::FromStr>(&mut self, prefix: &str) -> Result<T> {
        let word = self.word()?;
        word.strip_prefix(prefix).and_then(|n| n.parse().ok()).ok_or_else(|| self.unknown(prefix, word))
    }

    /// `{ instructions }`
    pub(crate) fn body(&mut self) -> Result<Body> {
        self.expect("{")?;
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return self.error(format!("bodies nested deeper than {MAX_NESTING}"));
        }
        let site = self.site.take();
        let mut code = Vec::new();
        while self.peek() != Some("}") {
            code.push(self.inst()?);
        }
        self.expect("}")?;
        self.nesting -= 1;
        self.site = site;
        Ok(Body(code))
    }

    /// `{ … } { … } end`
    pub(crate) fn bodies(&mut self) -> Result<Bodies> {
        let mut bodies = Vec::new();
        while self.peek() == Some("{") {
            bodies.push(self.body()?);
        }
        self.expect("end")?;
        Ok(Bodies(bodies))
    }

    fn inst(&mut self) -> Result<Inst> {
        let name = self.next()?;
        self.site = None;
        let op = Op::parse_operands(name, self)?;
        if self.site.is_none() {
            self.read_site()?;
        }
        let site = self.site.take().unwrap_or(Site(0));
        Ok(Inst { op, site })
    }

    fn attribute<T: std::str::FromStr>(&mut self, name: &str) -> Result<T> {
        self.operand(name, false)?.integer()
    }

    fn program(&mut self) -> Result<Program> {
        let mut program = Program::default();
        self.expect("program")?;
        program.columns = self.attribute("columns")?;
        program.users = self.attribute("users")?;
        while let Some(token) = self.peek() {
            self.pos += 1;
            match token {
                "const" => program.consts.push(self.constant()?),
                "table" => program.tables.push(self.table()?),
                "path" => program.paths.push(self.path()?),
                "func" => program.funcs.push(self.function()?),
                other => return self.error(format!("expected const, table, path or func, found {other:?}")),
            }
        }
        Ok(program)
    }

    fn constant(&mut self) -> Result<Vec<u8>> {
        self.next()?;
        self.expect("=")?;
        let token = self.next()?;
        let digits = token.strip_prefix('x').filter(|d| d.len() % 2 == 0 && d.is_ascii());
        let bytes = digits.and_then(|d| {
            (0..d.len()).step_by(2).map(|i| u8::from_str_radix(&d[i..i + 2], 16).ok()).collect::<Option<Vec<u8>>>()
        });
        bytes.map_or_else(|| self.error(format!("expected x and hex digits, found {token:?}")), Ok)
    }

    fn table(&mut self) -> Result<Table> {
        self.next()?;
        self.expect("=")?;
        let mut entries = Vec::new();
        while let Some(token) = self.peek() {
            match (token, token.parse::<i64>()) {
                ("_", _) => entries.push(None),
                (_, Ok(n)) => entries.push(Some(n)),
                _ => break,
            }
            self.pos += 1;
        }
        Ok(Table(entries))
    }

    fn path(&mut self) -> Result<Path> {
        self.next()?;
        self.expect("=")?;
        Ok(Path { source: self.string()?, target: self.string()? })
    }

    fn string(&mut self) -> Result<String> {
        let token = self.next()?;
        match token.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            Some(inner) => Ok(unescape(inner)),
            None => self.error(format!("expected a string, found {token:?}")),
        }
    }

    fn function(&mut self) -> Result<Function> {
        self.next()?;
        Ok(Function {
            nums: self.attribute("nums")?,
            spans: self.attribute("spans")?,
            marks: self.attribute("marks")?,
            depth: self.attribute("depth")?,
            body: self.body()?,
        })
    }
}

/// Undoes what `{:?}` does to the characters that paths hold.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('u') => out.extend(unescape_unicode(&mut chars)),
                Some(other) => out.push(other),
                None => {}
            },
            (c, false) => out.push(c),
        }
    }
    out
}

fn unescape_unicode(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let digits: String = chars.skip(1).take_while(|c| *c != '}').collect();
    u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
}
