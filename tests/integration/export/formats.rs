use super::*;
use serde_json::{Value, json};

/// Two calls, a result, a notice, a compression, and more rows than a page has.
fn rich() -> NewLineage {
    let mut texts = vec![
        "go, see MEDIA:/tmp/a.png",
        "on it",
        r#"{"output": "", "exit_code": 2}"#,
        "[IMPORTANT: ended]",
        "what was said before",
        "again",
    ];
    texts.extend(["more"; 240]);
    let mut lineage = titled(1, "Plan \u{1F3AC}", &texts);
    lineage.sessions[0].folder = Some("/home/u/work".to_owned());
    lineage.sessions[0].model = Some("some-model".to_owned());
    let messages = &mut lineage.messages;
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "terminal".to_owned(),
        arguments: arguments.to_owned(),
    };
    messages[1].tool_calls = vec![call("a", r#"{"command": "echo ```"}"#), call("b", "not JSON")];
    messages[1].reasoning = Some("let me see".to_owned());
    messages[1].finish_reason = Some("tool_calls".to_owned());
    messages[2].role = MessageRole::Tool;
    messages[2].call_id = Some("a".to_owned());
    messages[3].role = MessageRole::Notice;
    messages[3].notice = Some(Notice {
        kind: NoticeKind::Completion,
        source_id: Some("proc_1".to_owned()),
        state: "exit 101".to_owned(),
        failed: true,
        command: Some("cargo test".to_owned()),
        output: "````\nfailed\n".to_owned(),
        child_session_id: None,
    });
    messages[4].role = MessageRole::Summary;
    messages[5].shown = false;
    lineage
}

/// What a window gets, page by page.
async fn pages(home: &TempHome) -> (Value, Vec<Value>) {
    let mut rows = Vec::new();
    loop {
        let anchor = PageAnchor::From { index: rows.len() as i64 };
        let request = MessagePageRequest { session_id: session_id(1), anchor, limit: 500 };
        let mut page = home.store.message_page(request).await.expect("a page");
        talaria_core::media::tags::fill(&mut page.messages);
        rows.extend(page.messages.iter().map(|row| json!(row)));
        if rows.len() as i64 >= page.total {
            return (json!(page.session), rows);
        }
    }
}

#[tokio::test]
async fn json_and_jsonl_hold_every_field_that_a_window_gets() {
    let home = TempHome::new();
    put(&home, [rich()]).await;
    let (session, rows) = pages(&home).await;
    assert_eq!(rows.len(), 245);
    assert_eq!(rows[0]["media"][0]["target"], "/tmp/a.png");
    let folder = tempfile::tempdir().expect("a temp folder");

    let target = folder.path().join("a.json");
    let report = written(&home, 1, ExportFormat::Json, &target).await.expect("written");
    let text = std::fs::read_to_string(&target).expect("the file");
    let read: Value = serde_json::from_str(&text).expect("one object");
    assert!(read == json!({ "session": session, "messages": rows }));
    assert_eq!((report.sessions, report.messages, report.bytes), (1, 245, text.len() as u64));
    assert_eq!(report.path, target.display().to_string());

    let target = folder.path().join("a.jsonl");
    written(&home, 1, ExportFormat::Jsonl, &target).await.expect("written");
    let text = std::fs::read_to_string(&target).expect("the file");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    assert!(lines[0] == session && lines[1..] == rows);
    assert_eq!(names(folder.path()), ["a.json", "a.jsonl"]);
}

#[tokio::test]
async fn an_empty_session_is_a_whole_file_too() {
    let home = TempHome::new();
    put(&home, [chat::<&str>(1, NOON, &[])]).await;
    let folder = tempfile::tempdir().expect("a temp folder");
    for format in [ExportFormat::Json, ExportFormat::Jsonl, ExportFormat::Markdown] {
        let target = folder.path().join(format.extension());
        let report = written(&home, 1, format, &target).await.expect("written");
        assert_eq!((report.sessions, report.messages), (1, 0));
    }
    let read = std::fs::read_to_string(folder.path().join("json")).expect("the file");
    assert_eq!(serde_json::from_str::<Value>(&read).expect("an object")["messages"], json!([]));
    let read = std::fs::read_to_string(folder.path().join("md")).expect("the file");
    assert_eq!(read, "# Untitled session\n\n2026-11-30 · 0 messages\n");
}

#[tokio::test]
async fn markdown_reads_as_the_transcript_does() {
    let home = TempHome::new();
    let mut lineage = rich();
    lineage.messages.truncate(8);
    lineage.messages[7].text = "**so**\n```js\nlet x".to_owned();
    put(&home, [lineage]).await;
    let folder = tempfile::tempdir().expect("a temp folder");
    let target = folder.path().join("a.md");
    written(&home, 1, ExportFormat::Markdown, &target).await.expect("written");
    let expected = "\
# Plan \u{1F3AC}

2026-11-30 · /home/u/work · some-model · 6 messages

## User · 2026-11-30T11:56:55Z

go, see MEDIA:/tmp/a.png

## Assistant · 2026-11-30T11:56:56Z

**Thinking**

```
let me see
```

on it

**Call: terminal**

````json
{\"command\": \"echo ```\"}
````

**Call: terminal**

```json
not JSON
```

## Tool · terminal · failed · 2026-11-30T11:56:57Z

```
{\"output\": \"\", \"exit_code\": 2}
```

## Notice · exit 101 · 2026-11-30T11:56:58Z

**Command**

```
cargo test
```

**Output**

`````
````
failed
`````

---

## Summary of the messages above · 2026-11-30T11:56:59Z

what was said before

---

## User · 2026-11-30T11:57:01Z

more

## Assistant · 2026-11-30T11:57:02Z

**so**
```js
let x
```
";
    let read = std::fs::read_to_string(&target).expect("the file");
    assert_eq!(read, expected);
}

/// A tool's name and a title are a model's words: none begins a line of its own in the file.
#[tokio::test]
async fn a_heading_stays_one_line_whatever_names_it() {
    let home = TempHome::new();
    let mut lineage = titled(1, "Plan", &["go", "x", "out"]);
    lineage.sessions[0].folder = Some("/a\n# b".to_owned());
    lineage.messages[1].tool_calls = vec![ToolCall {
        id: "a".to_owned(),
        name: "t\n## User \u{202e}".to_owned(),
        arguments: "{}".to_owned(),
    }];
    lineage.messages[2].role = MessageRole::Tool;
    lineage.messages[2].tool_name = Some("t\r\n## User".to_owned());
    put(&home, [lineage]).await;
    let folder = tempfile::tempdir().expect("a temp folder");
    let target = folder.path().join("a.md");
    written(&home, 1, ExportFormat::Markdown, &target).await.expect("written");
    let read = std::fs::read_to_string(&target).expect("the file");
    let headings: Vec<&str> = read.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings.len(), 4, "{headings:?}");
    assert!(headings[3].starts_with("## Tool · t ## User · done"), "{headings:?}");
    assert!(!read.contains('\u{202e}') && read.contains("**Call: t ## User**"), "{read}");
}
