//! Records: the rows inside a page, taken apart (sqlite.org/fileformat2.html, section 2.1). Pure; hostile input.

use rusqlite::types::Value;

/// A number of one to nine bytes, and how many it took.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(9).enumerate() {
        if index == 8 {
            return Some((value << 8 | u64::from(*byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

/// The columns of a record; nothing when it does not add up exactly.
pub(super) fn columns(payload: &[u8]) -> Option<Vec<Value>> {
    let (header, mut at) = varint(payload)?;
    let header = usize::try_from(header).ok().filter(|header| *header <= payload.len() && *header >= at)?;
    let mut body = header;
    let mut values = Vec::new();
    while at < header {
        let (kind, length) = varint(&payload[at..header])?;
        at += length;
        let (value, length) = column(kind, payload.get(body..)?)?;
        values.push(value);
        body += length;
    }
    (at == header && body == payload.len() && !values.is_empty()).then_some(values)
}

fn column(kind: u64, body: &[u8]) -> Option<(Value, usize)> {
    let integer = |length: usize| {
        let bytes = body.get(..length)?;
        let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1_i64 };
        Some((Value::Integer(bytes.iter().fold(sign, |n, byte| n << 8 | i64::from(*byte))), length))
    };
    match kind {
        0 => Some((Value::Null, 0)),
        1..=4 => integer(kind as usize),
        5 => integer(6),
        6 => integer(8),
        7 => {
            let eight: [u8; 8] = body.get(..8)?.try_into().ok()?;
            Some((Value::Real(f64::from_be_bytes(eight)), 8))
        }
        8 => Some((Value::Integer(0), 0)),
        9 => Some((Value::Integer(1), 0)),
        10 | 11 => None,
        _ => {
            let length = usize::try_from((kind - 12) / 2).ok()?;
            let bytes = body.get(..length)?;
            // Of a text with some broken letters the others are worth keeping.
            let value = if kind.is_multiple_of(2) {
                Value::Blob(bytes.to_vec())
            } else {
                Value::Text(String::from_utf8_lossy(bytes).into_owned())
            };
            Some((value, length))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_have_the_lengths_of_the_format() {
        assert_eq!(varint(&[0x7f]), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00]), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9]), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x80]), None);
    }

    #[test]
    fn a_record_is_taken_apart_exactly() {
        // NULL, -2 in one byte, 1 without a byte, "hi".
        let payload = [5, 0, 1, 9, 17, 0xfe, b'h', b'i'];
        let expected = [Value::Null, Value::Integer(-2), Value::Integer(1), Value::Text("hi".to_owned())];
        assert_eq!(columns(&payload).expect("a record"), expected);
        assert_eq!(columns(&payload[..7]), None, "a byte too few");
        assert_eq!(columns(&[&payload[..], &[0]].concat()), None, "a byte too many");
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_record_or_not_but_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = columns(&bytes);
        }
    }
}
