use crate::steps::{bring_in_answer, open_app, open_session, stage_with_sample};
use app_tests::desktop::Stage;
use serde_json::json;

#[tokio::test]
async fn a_transcript_shows_tool_cards_that_open_and_notices_with_their_end() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;

    open_session(page, "Auto title 6014").await;
    let cards = "return page.first('log', 'Transcript').querySelectorAll('article[data-role=tool]').length";
    page.wait_for("tool cards", cards).await;
    let card = page.find_starting("button", "terminal").await;
    assert_eq!(card.attr("aria-expanded").await.expect("an attribute").as_deref(), Some("false"));
    page.click_on(&card).await;
    page.wait_for("the arguments", "return document.body.innerText.includes('echo ')").await;
    let output = "const card = document.querySelector('article[data-role=tool]');
        return [...card.querySelectorAll('[aria-label]')].some((part) =>
            part.ariaLabel.startsWith('Output') && part.textContent.includes('hi from tool'))";
    page.wait_for("the end of the output", output).await;

    open_session(page, "Auto title fafa").await;
    let notice = "const notice = document.querySelector('article[data-role=notice]');
        return notice && notice.dataset.notificationId && notice.dataset.state && page.text(notice)";
    let words = page.wait_with("a notice", notice, &[]).await;
    let words = words.as_str().expect("text");
    for part in ["Process ended", "exit 0", "sleep 2; echo done"] {
        assert!(words.contains(part), "{part:?} is missing in {words:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn hostile_markdown_is_drawn_as_text_and_runs_nothing() {
    let text = "# A heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n\n$$x^2$$\n\n\
        <img src=x onerror=\"window.ran=1\"><script>window.ran=1</script>\n\n[bad](javascript:window.ran=1)\n\n\
        ![remote](https://example.invalid/pixel.png)";
    let stage = Stage::new();
    bring_in_answer(&stage, "Markdown", text).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Markdown").await;
    page.find("heading", "A heading").await;
    let drawn = "const log = page.first('log', 'Transcript');
        return log.querySelector('table') && log.querySelector('pre') && log.querySelector('.katex') ? true : false";
    page.wait_for("table, code and math", drawn).await;
    page.wait_with(
        "the host of the remote picture",
        "return document.body.innerText.includes(args[0])",
        &[json!("example.invalid")],
    )
    .await;
    let hostile = "const log = page.first('log', 'Transcript');
        return { ran: window.ran ?? null, scripts: log.querySelectorAll('script').length,
            remote: [...log.querySelectorAll('img')].filter((image) => image.src.startsWith('http')).length,
            links: [...log.querySelectorAll('a')].filter((link) => link.protocol === 'javascript:').length }";
    let found = page.run(hostile, &[]).await;
    assert_eq!(found, json!({ "ran": null, "scripts": 0, "remote": 0, "links": 0 }));
    app.close().await;
}
