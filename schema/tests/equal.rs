//! Equality of schemas: by structure, over whatever arenas.

use reschema_schema::Schema;
use reschema_schema::avro::{Names, Parser};
use reschema_schema::model::{ListType, Shape, Type, TypeId};

fn parse(text: &str) -> Schema {
    Parser::new().names(Names::Lenient).parse(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn everything_said_counts() {
    let texts = [
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"error","name":"R","fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"record","name":"n.R","fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"record","name":"R","aliases":["S"],"fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"record","name":"R","doc":"d","fields":[{"name":"a","type":"int"}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"b","type":"int"}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"long"}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":1}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":2}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int","x":2}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int","order":"ignore"}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"int","aliases":["b"]}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"int","logicalType":"date"}}]}"#,
        r#"{"type":"record","name":"R","fields":[]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":["int"]}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":["int","null"]}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"array","items":"int"}}]}"#,
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"map","values":"int"}}]}"#,
        r#"{"type":"enum","name":"R","symbols":["A","B"]}"#,
        r#"{"type":"enum","name":"R","symbols":["A","B"],"default":"B"}"#,
        r#"{"type":"fixed","name":"R","size":1}"#,
        r#"{"type":"fixed","name":"R","size":2}"#,
    ];
    for (i, a) in texts.iter().enumerate() {
        for (j, b) in texts.iter().enumerate() {
            let (a, b) = (parse(a), parse(b));
            assert_eq!(a == b, i == j, "{a:?} {b:?}");
            assert_eq!(a.content_key() == b.content_key(), i == j);
        }
    }
}

/// Both would be printed with the words `"A"` inside `n`.
#[test]
fn names_that_read_alike_are_told_apart() {
    let text = |reference: &str| {
        format!(
            r#"[{{"type":"fixed","name":"A","size":1}},{{"type":"fixed","name":"n.A","size":2}},
                {{"type":"record","name":"n.R","fields":[{{"name":"a","type":"{reference}"}}]}}]"#
        )
    };
    let (own, null) = (parse(&text("A")), parse(&text(".A")));
    assert_eq!(own, parse(&text("n.A")));
    assert_ne!(own, null);
    assert_ne!(own.content_key(), null.content_key());
}

/// Chains and circles of lists: no recursion, and an end.
#[test]
fn deep_and_endless_arenas() {
    let list = |item: u32| Type::plain(Shape::List(ListType { item: TypeId(item), length: None }));
    let chain = |n: u32| {
        let mut types: Vec<Type> = (0..n).map(|i| list(i + 1)).collect();
        types.push(Type::plain(Shape::Text));
        Schema::from_parts(types, TypeId(0), Vec::new())
    };
    assert!(chain(100_000) == chain(100_000));
    assert!(chain(100_000) != chain(99_999));
    let circle = |n: u32| Schema::from_parts((0..n).map(|i| list((i + 1) % n)).collect(), TypeId(0), Vec::new());
    assert!(circle(2) == circle(3));
    assert!(circle(2) != chain(2));
}
