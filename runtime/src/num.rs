//! Numbers on the wire: the one definition of every form, used by the checking interpreter and by tests of the fast
//! paths.

use reschema_ir::{Convert, FaultKind, Num};

/// Why a number cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumFault {
    /// The input ends inside it.
    Ends,
    /// It is malformed.
    Bad(FaultKind),
}

/// Reads a number: its raw value and the bytes it takes.
pub fn read(input: &[u8], form: Num) -> Result<(i64, usize), NumFault> {
    match form {
        Num::Zigzag64 => varint(input).map(|(v, n)| (unzigzag(v), n)),
        Num::Zigzag32 => {
            let (v, n) = varint(input)?;
            let v = unzigzag(v);
            if i32::try_from(v).is_err() { Err(NumFault::Bad(FaultKind::Range)) } else { Ok((v, n)) }
        }
        Num::Bool => match fixed::<1>(input)? {
            [v @ 0..=1] => Ok((v.into(), 1)),
            _ => Err(NumFault::Bad(FaultKind::Bool)),
        },
        Num::U8 => fixed::<1>(input).map(|[v]| (v.into(), 1)),
        Num::U16 => fixed(input).map(|b| (u16::from_le_bytes(b).into(), 2)),
        Num::I32 => fixed(input).map(|b| (i32::from_le_bytes(b).into(), 4)),
        Num::F32 => fixed(input).map(|b| (u32::from_le_bytes(b).into(), 4)),
        Num::I64 | Num::F64 => fixed(input).map(|b| (i64::from_le_bytes(b), 8)),
    }
}

fn fixed<const N: usize>(input: &[u8]) -> Result<[u8; N], NumFault> {
    input.first_chunk::<N>().copied().ok_or(NumFault::Ends)
}

/// Reads a varint of at most 10 bytes and 64 bits; it need not be minimal.
pub fn varint(input: &[u8]) -> Result<(u64, usize), NumFault> {
    let mut value = 0u64;
    for (i, byte) in input.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if i == 9 && bits > 1 {
            // Bits beyond 64; a continuation bit here would make it too long as well.
            return Err(NumFault::Bad(FaultKind::Varint));
        }
        value |= bits << (7 * i);
        if byte & 0x80 == 0 {
            return Ok((value, i + 1));
        }
    }
    if input.len() >= 10 { Err(NumFault::Bad(FaultKind::Varint)) } else { Err(NumFault::Ends) }
}

/// Undoes zigzag.
#[inline(always)]
pub fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

/// Zigzag.
pub fn zigzag(v: i64) -> u64 {
    ((v << 1) ^ (v >> 63)) as u64
}

/// Appends a minimal varint.
pub fn write_varint(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// Appends a number.
pub fn write(out: &mut Vec<u8>, raw: i64, form: Num) {
    match form {
        Num::Zigzag32 | Num::Zigzag64 => write_varint(out, zigzag(raw)),
        Num::Bool | Num::U8 => out.push(raw as u8),
        Num::U16 => out.extend_from_slice(&(raw as u16).to_le_bytes()),
        Num::F32 | Num::I32 => out.extend_from_slice(&(raw as u32).to_le_bytes()),
        Num::F64 | Num::I64 => out.extend_from_slice(&raw.to_le_bytes()),
    }
}

/// Converts the raw bits of a register.
pub fn convert(raw: i64, conv: Convert) -> i64 {
    reschema_ir::pass::consts::convert(raw, conv)
}

/// The conversion that moving a number from one form to another means.
pub fn conversion(from: Num, to: Num) -> Option<Convert> {
    reschema_ir::pass::fuse::conversion(from, to)
}
