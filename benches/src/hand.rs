//! Hand-written, specialised, bounds-checked codecs: the bound beside each figure.
//!
//! They do the work that the engine does: UTF-8, integer ranges, index ranges, and minimal varints wherever bytes are
//! copied as they are (a longer one is an error here, where the engine would re-encode it).
#![allow(missing_docs, reason = "one function a workload, named after it")]

use crate::data::*;
#[derive(Debug, Clone, Copy)]
pub struct E;
pub type Res<T> = Result<T, E>;
pub struct Cur<'a> {
    pub b: &'a [u8],
}
impl<'a> Cur<'a> {
    #[inline(always)]
    pub fn new(b: &'a [u8]) -> Self {
        Cur { b }
    }
    /// short-biased: 1-byte fast path then SWAR
    #[inline(always)]
    pub fn uv(&mut self) -> Res<u64> {
        let b = self.b;
        match b.first() {
            Some(&x) if x < 0x80 => {
                self.b = &b[1..];
                Ok(x as u64)
            }
            _ => self.uv_wide(),
        }
    }
    /// wide-biased: branch-free SWAR for up to 8 bytes
    #[inline(always)]
    pub fn uv_wide(&mut self) -> Res<u64> {
        let b = self.b;
        if let Some(c) = b.first_chunk::<8>() {
            let w = u64::from_le_bytes(*c);
            let m = !w & 0x8080808080808080;
            if m != 0 {
                let n = (m.trailing_zeros() as usize >> 3) + 1;
                if n > 1 && w >> (8 * (n - 1)) & 0x7f == 0 {
                    return Err(E);
                }
                let x = w & (m ^ (m.wrapping_sub(1))) & 0x7f7f7f7f7f7f7f7f;
                let x = (x & 0x007f007f007f007f) | ((x & 0x7f007f007f007f00) >> 1);
                let x = (x & 0x00003fff00003fff) | ((x & 0x3fff00003fff0000) >> 2);
                let x = (x & 0x0fffffff) | ((x & 0x0fffffff00000000) >> 4);
                self.b = &b[n..];
                return Ok(x);
            }
        }
        self.uv_slow()
    }
    #[cold]
    #[inline(never)]
    fn uv_slow(&mut self) -> Res<u64> {
        let mut x = 0u64;
        let mut s = 0;
        for (i, &y) in self.b.iter().enumerate() {
            if s == 63 && y > 1 {
                return Err(E);
            }
            x |= ((y & 0x7f) as u64) << s;
            if y < 0x80 {
                self.b = &self.b[i + 1..];
                return Ok(x);
            }
            s += 7;
            if s > 63 {
                return Err(E);
            }
        }
        Err(E)
    }
    #[inline(always)]
    pub fn long_w(&mut self) -> Res<i64> {
        let z = self.uv_wide()?;
        Ok(((z >> 1) as i64) ^ -((z & 1) as i64))
    }
    #[inline(always)]
    pub fn long(&mut self) -> Res<i64> {
        let z = self.uv()?;
        Ok(((z >> 1) as i64) ^ -((z & 1) as i64))
    }
    #[inline(always)]
    pub fn skip_varint(&mut self) -> Res<()> {
        self.uv().map(|_| ())
    }
    #[inline(always)]
    pub fn int(&mut self) -> Res<i32> {
        let z = u32::try_from(self.uv()?).map_err(|_| E)?;
        Ok(((z >> 1) as i32) ^ -((z & 1) as i32))
    }
    #[inline(always)]
    pub fn int_w(&mut self) -> Res<i32> {
        let z = u32::try_from(self.uv_wide()?).map_err(|_| E)?;
        Ok(((z >> 1) as i32) ^ -((z & 1) as i32))
    }
    #[inline(always)]
    pub fn f64(&mut self) -> Res<f64> {
        let (c, r) = self.b.split_first_chunk::<8>().ok_or(E)?;
        self.b = r;
        Ok(f64::from_le_bytes(*c))
    }
    #[inline(always)]
    pub fn f32(&mut self) -> Res<f32> {
        let (c, r) = self.b.split_first_chunk::<4>().ok_or(E)?;
        self.b = r;
        Ok(f32::from_le_bytes(*c))
    }
    #[inline(always)]
    pub fn byte(&mut self) -> Res<u8> {
        let (c, r) = self.b.split_first().ok_or(E)?;
        self.b = r;
        Ok(*c)
    }
    #[inline(always)]
    pub fn boolean(&mut self) -> Res<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(E),
        }
    }
    #[inline(always)]
    pub fn bytes(&mut self) -> Res<&'a [u8]> {
        let n = self.uv()?;
        if n & 1 != 0 {
            return Err(E);
        }
        let n = (n >> 1) as usize;
        let (c, r) = self.b.split_at_checked(n).ok_or(E)?;
        self.b = r;
        Ok(c)
    }
    #[inline(always)]
    pub fn str(&mut self) -> Res<&'a str> {
        let b = self.bytes()?;
        if ascii_fast(b) {
            // SAFETY: every byte is ASCII.
            Ok(unsafe { std::str::from_utf8_unchecked(b) })
        } else {
            utf8_slow(b)
        }
    }
    #[inline(always)]
    pub fn opt(&mut self) -> Res<bool> {
        match self.byte()? {
            0 => Ok(false),
            2 => Ok(true),
            _ => Err(E),
        }
    }
    #[inline(always)]
    pub fn skip(&mut self, n: usize) -> Res<()> {
        self.b = self.b.get(n..).ok_or(E)?;
        Ok(())
    }
    #[inline(always)]
    pub fn skip_bytes(&mut self) -> Res<()> {
        self.bytes().map(|_| ())
    }
}
#[inline(always)]
pub fn ascii_fast(b: &[u8]) -> bool {
    const H: u64 = 0x8080808080808080;
    let n = b.len();
    if n >= 8 {
        let mut acc = 0u64;
        let mut i = 0;
        while i + 8 <= n {
            acc |= u64::from_le_bytes(*b[i..].first_chunk::<8>().unwrap());
            i += 8;
        }
        acc |= u64::from_le_bytes(*b.last_chunk::<8>().unwrap());
        acc & H == 0
    } else {
        let mut a = 0u8;
        for &x in b {
            a |= x
        }
        a < 0x80
    }
}
#[cold]
#[inline(never)]
fn utf8_slow(b: &[u8]) -> Res<&str> {
    std::str::from_utf8(b).map_err(|_| E)
}
// ---- GenericTest
/// Avro->Avro same schema, validating copy
#[inline]
pub fn gt_same(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    let s = c.b;
    c.skip(24)?;
    c.int_w()?;
    c.int_w()?;
    c.int_w()?;
    o.extend_from_slice(&s[..s.len() - c.b.len()]);
    Ok(())
}
#[inline]
pub fn gt_ooo(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    let s = c.b;
    c.skip(24)?;
    let a = c.b;
    c.int_w()?;
    let b = c.b;
    c.int_w()?;
    let d = c.b;
    c.int_w()?;
    let e = c.b; // f1 f3 f5 f2 f4 f6
    let mut t = [0u8; 48];
    let f4 = &a[..a.len() - b.len()];
    let f5 = &b[..b.len() - d.len()];
    let f6 = &d[..d.len() - e.len()];
    t[..8].copy_from_slice(&s[..8]);
    t[8..16].copy_from_slice(&s[16..24]);
    let mut p = 16;
    #[inline(always)]
    fn cp5(t: &mut [u8; 48], p: usize, x: &[u8], rest: &[u8]) -> usize {
        if let (true, Some(c), Some(d)) = (x.len() <= 8, rest.first_chunk::<8>(), t.get_mut(p..p + 8)) {
            d.copy_from_slice(c);
        } else {
            t[p..p + x.len()].copy_from_slice(x);
        }
        p + x.len()
    }
    p = cp5(&mut t, p, f5, b);
    t[p..p + 8].copy_from_slice(&s[8..16]);
    p += 8;
    p = cp5(&mut t, p, f4, a);
    p = cp5(&mut t, p, f6, d);
    o.extend_from_slice(&t[..p]);
    Ok(())
}
#[inline]
pub fn gt_default(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    gt_same(c, o)?;
    o.extend_from_slice(b"\x12undefined\x12undefined");
    Ok(())
}
#[inline]
pub fn gtf_promo(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    let mut t = [0u8; 24];
    for i in 0..3 {
        t[i * 8..i * 8 + 8].copy_from_slice(&(c.f32()? as f64).to_le_bytes());
    }
    o.extend_from_slice(&t);
    let s = c.b;
    c.int_w()?;
    c.int_w()?;
    c.int_w()?;
    o.extend_from_slice(&s[..s.len() - c.b.len()]);
    Ok(())
}
// ---- R1
#[inline(always)]
fn block<'a>(c: &mut Cur<'a>) -> Res<usize> {
    let n = c.long()?;
    if n >= 0 {
        Ok(n as usize)
    } else {
        c.long()?;
        Ok(n.unsigned_abs() as usize)
    }
}
pub fn r1_to_r1e<const UTF8: bool>(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    macro_rules! st {
        () => {
            if UTF8 {
                c.str()?;
            } else {
                c.bytes()?;
            }
        };
    }
    macro_rules! os {
        () => {
            if c.opt()? {
                st!()
            }
        };
    }
    macro_rules! span {
        ($x:expr) => {{
            let s = c.b;
            $x;
            &s[..s.len() - c.b.len()]
        }};
    }
    let ids = span!({
        st!();
        st!();
        st!()
    });
    os!();
    let ev = span!({
        let e = c.byte()?;
        if e & 1 != 0 || e > 10 {
            return Err(E);
        }
    });
    let et = span!({
        c.long_w()?;
    });
    let ca = span!({
        c.long_w()?;
    });
    let cur = span!(st!());
    let tt = span!({
        c.bytes()?;
        if c.opt()? {
            c.bytes()?;
        }
    });
    let disc = span!({
        if c.opt()? {
            c.skip(8)?
        }
    });
    let ic = span!({
        c.int()?;
    });
    o.extend_from_slice(ev);
    o.extend_from_slice(et);
    o.extend_from_slice(ids);
    o.extend_from_slice(tt);
    o.extend_from_slice(cur);
    o.extend_from_slice(ic);
    loop {
        let n = block(c)?;
        put_long(o, n as i64);
        if n == 0 {
            break;
        }
        for _ in 0..n {
            let s = span!({
                st!();
                st!();
                c.int()?;
                c.long()?;
            });
            o.extend_from_slice(s);
            if c.opt()? {
                let f = c.f32()? as f64;
                o.push(2);
                o.extend_from_slice(&f.to_le_bytes());
            } else {
                o.push(0)
            }
        }
    }
    let addr = span!(if c.opt()? {
        st!();
        st!();
        st!();
        st!()
    });
    let cc = span!({
        os!();
        os!()
    });
    let pr = span!({
        c.boolean()?;
    });
    c.int()?;
    let tr = span!(st!());
    let at = span!(loop {
        let n = block(c)?;
        if n == 0 {
            break;
        }
        for _ in 0..n {
            st!();
            st!();
        }
    });
    let no = span!(os!());
    o.extend_from_slice(at);
    o.extend_from_slice(addr);
    o.extend_from_slice(cc);
    o.extend_from_slice(disc);
    o.extend_from_slice(pr);
    o.extend_from_slice(tr);
    o.extend_from_slice(ca);
    o.extend_from_slice(no);
    o.extend_from_slice(&[0, 0]);
    Ok(())
}
pub fn r1_same<const UTF8: bool>(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    let s0 = c.b;
    r1_skip::<UTF8>(c)?;
    o.extend_from_slice(&s0[..s0.len() - c.b.len()]);
    Ok(())
}
pub fn r1_skip<const UTF8: bool>(c: &mut Cur) -> Res<()> {
    macro_rules! st {
        () => {
            if UTF8 {
                c.str()?;
            } else {
                c.bytes()?;
            }
        };
    }
    macro_rules! os {
        () => {
            if c.opt()? {
                st!()
            }
        };
    }
    st!();
    st!();
    st!();
    os!();
    let e = c.byte()?;
    if e & 1 != 0 || e > 10 {
        return Err(E);
    }
    c.long_w()?;
    c.long_w()?;
    st!();
    c.bytes()?;
    if c.opt()? {
        c.bytes()?;
    }
    if c.opt()? {
        c.skip(8)?
    }
    c.int()?;
    loop {
        let n = block(c)?;
        if n == 0 {
            break;
        }
        for _ in 0..n {
            st!();
            st!();
            c.int()?;
            c.long()?;
            if c.opt()? {
                c.skip(4)?
            }
        }
    }
    if c.opt()? {
        st!();
        st!();
        st!();
        st!()
    }
    os!();
    os!();
    c.boolean()?;
    c.int()?;
    st!();
    loop {
        let n = block(c)?;
        if n == 0 {
            break;
        }
        for _ in 0..n {
            st!();
            st!();
        }
    }
    os!();
    Ok(())
}
// ---- R2
#[inline(always)]
pub fn r2_skip1(c: &mut Cur, t: usize) -> Res<()> {
    if c.opt()? {
        match t {
            0 | 1 => c.skip_varint()?,
            2 => c.skip(8)?,
            3 => c.skip(4)?,
            4 => c.skip(1)?,
            _ => c.skip_bytes()?,
        }
    }
    Ok(())
}
#[inline(always)]
fn r2_run(c: &mut Cur, from: usize, to: usize) -> Res<()> {
    let mut i = from;
    while i < to && !i.is_multiple_of(6) {
        r2_skip1(c, i % 6)?;
        i += 1
    }
    while i + 6 <= to {
        r2_skip1(c, 0)?;
        r2_skip1(c, 1)?;
        r2_skip1(c, 2)?;
        r2_skip1(c, 3)?;
        r2_skip1(c, 4)?;
        r2_skip1(c, 5)?;
        i += 6
    }
    while i < to {
        r2_skip1(c, i % 6)?;
        i += 1
    }
    Ok(())
}
/// branch-free null handling: the tag byte multiplies the payload length
pub fn r2_proj_avro(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    let mut at = 0;
    for &p in R2P.iter() {
        r2_run(c, at, p)?;
        let s = c.b;
        r2_skip1(c, p % 6)?;
        o.extend_from_slice(&s[..s.len() - c.b.len()]);
        at = p + 1;
    }
    r2_run(c, at, 200)
}
/// full per-field decode to a flat row of option scalars (what a JIT to native rows would do), validation included
pub fn r3_to_e(c: &mut Cur, o: &mut Vec<u8>) -> Res<()> {
    macro_rules! span {
        ($x:expr) => {{
            let s = c.b;
            $x;
            &s[..s.len() - c.b.len()]
        }};
    }
    if c.opt()? {
        c.int()?;
        c.bytes()?;
        c.bytes()?;
        if c.opt()? {
            c.bytes()?;
        }
        if c.opt()? {
            c.skip(8)?
        }
        c.long_w()?;
    }
    let (a1, a2) = if c.opt()? {
        let a1 = span!({
            c.int()?;
            c.bytes()?;
            c.bytes()?;
            if c.opt()? {
                c.bytes()?;
            }
        });
        if c.opt()? {
            c.skip(8)?
        }
        (
            Some(a1),
            span!({
                c.long_w()?;
            }),
        )
    } else {
        (None, &[][..])
    };
    c.bytes()?;
    c.bytes()?;
    c.bytes()?;
    c.long_w()?;
    if c.opt()? {
        c.bytes()?;
    }
    let db = span!({
        c.bytes()?;
    });
    c.bytes()?;
    let tb = span!({
        c.bytes()?;
    });
    if c.opt()? {
        c.long()?;
    }
    let lsn = span!({
        if c.opt()? {
            c.long()?;
        }
    });
    let ot = span!({
        c.bytes()?;
        if c.opt()? {
            c.long_w()?;
        }
    });
    o.extend_from_slice(ot);
    match a1 {
        None => o.push(0),
        Some(a) => {
            o.push(2);
            o.extend_from_slice(a);
            o.extend_from_slice(a2);
            o.push(0)
        }
    }
    o.extend_from_slice(db);
    o.extend_from_slice(tb);
    o.extend_from_slice(lsn);
    Ok(())
}
