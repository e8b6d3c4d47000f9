//! What a live session writes, and what the next opening makes of a turn that the end of the process cut off.

use super::*;
use talaria_core::store::live::{
    ContextRow, INTERRUPTED, NewAnswer, NewChange, NewPrompt, NewResult, PromptAt, Prompted, Retry, Used,
};

fn prompt(at: PromptAt, text: &str) -> NewPrompt {
    NewPrompt { at, text: text.to_owned(), model: Some("m1".to_owned()), queued: false }
}

fn fresh(folder: Option<&str>) -> PromptAt {
    PromptAt::New {
        client: "main".into(),
        folder: folder.map(str::to_owned),
        git_branch: Some("trunk".to_owned()),
        choice: None,
    }
}

fn tip(id: &SessionId) -> PromptAt {
    PromptAt::Tip { id: id.clone(), replace: None }
}

async fn begin(home: &TempHome, text: &str) -> Prompted {
    home.store.prompt_put(prompt(fresh(Some("/srv/app")), text)).await.expect("it is stored")
}

async fn says(home: &TempHome, id: &SessionId, text: &str, calls: &[&str]) {
    let calls = calls.iter().map(|id| ToolCall {
        id: (*id).to_owned(),
        name: "terminal".to_owned(),
        arguments: "{\"command\":\"ls\"}".to_owned(),
    });
    let answer = NewAnswer {
        text: text.to_owned(),
        calls: calls.collect(),
        finish_reason: "stop".to_owned(),
        ..NewAnswer::default()
    };
    home.store.answer_put(id, answer).await.expect("it is stored");
}

async fn results(home: &TempHome, id: &SessionId, call: &str, change: Option<NewChange>) {
    let result = NewResult {
        call_id: call.to_owned(),
        name: "terminal".to_owned(),
        text: format!("result of {call}"),
        duration_ms: 1234,
        change,
    };
    home.store.result_put(id, result).await.expect("it is stored");
}

async fn page(home: &TempHome, id: &SessionId) -> MessagePageResponse {
    let request = MessagePageRequest { session_id: id.clone(), anchor: PageAnchor::End, limit: 500 };
    home.store.message_page(request).await.expect("a page")
}

async fn texts(home: &TempHome, id: &SessionId) -> Vec<String> {
    page(home, id).await.messages.into_iter().map(|row| row.text).collect()
}

async fn context(home: &TempHome, id: &SessionId) -> Vec<(MessageRole, String)> {
    let rows = home.store.context(id).await.expect("a context");
    rows.into_iter().map(|ContextRow { role, text, .. }| (role, text)).collect()
}

#[tokio::test]
async fn the_first_prompt_makes_the_row_with_its_folder_branch_model_and_preview() {
    let home = TempHome::new();
    put(&home, [chat(1, NOON + 60_000, &["newer than now"])]).await;
    let draft = |text: &str| DraftSetRequest { session_id: None, text: text.to_owned(), folder: None };
    home.store.draft_set(&"main".into(), draft("Hello there")).await.expect("a draft");
    let prompted = begin(&home, "Hello there").await;
    let row = &list(&home, SessionListRequest::default()).await.rows[0];
    assert_eq!(row.id, prompted.session, "it stands on top");
    assert_eq!((row.preview.as_deref(), row.message_count), (Some("Hello there"), 1));
    assert_eq!((row.folder.as_deref(), row.git_branch.as_deref()), (Some("/srv/app"), Some("trunk")));
    assert_eq!((row.model.as_deref(), row.source.as_str(), row.is_active), (Some("m1"), "talaria", true));
    let left = home.store.draft_get(&"main".into(), DraftGetRequest { session_id: None }).await;
    assert_eq!(left.expect("a draft").text, "", "the draft went with it");
    let hits = home.store.session_search(SearchRequest {
        query: "hello".to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    });
    assert_eq!(hits.await.expect("a search").messages.len(), 1);
    assert!(home.store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn a_turn_is_rows_with_calls_results_and_what_they_changed() {
    let home = TempHome::new();
    let id = begin(&home, "go").await.session;
    says(&home, &id, "I look.", &["a", "b"]).await;
    let change = NewChange {
        path: "/srv/app/x.txt".into(),
        before: None,
        after: b"new".to_vec(),
        diff: "+new".to_owned(),
    };
    results(&home, &id, "a", Some(change)).await;
    results(&home, &id, "b", None).await;
    says(&home, &id, "Done.", &[]).await;
    home.store.turn_end(&id, true).await.expect("it ends");
    let page = page(&home, &id).await;
    assert_eq!((page.total, page.session.message_count, page.session.unread), (5, 5, true));
    let tool = page.messages[2].tool.as_ref().expect("a tool row");
    assert_eq!((tool.duration_ms, tool.arguments.as_deref()), (Some(1234), Some("{\"command\":\"ls\"}")));
    let changed = tool.change.as_ref().expect("a change");
    assert_eq!(
        (changed.path.as_str(), changed.diff.as_str(), changed.undone),
        ("/srv/app/x.txt", "+new", false)
    );
    let kept = home.store.change(&id, "a").await.expect("it can be taken back");
    assert_eq!((kept.before.as_deref(), kept.after.as_slice()), (None, b"new".as_slice()));
    home.store.change_undone(kept).await.expect("it is noted");
    let again = home.store.change(&id, "a").await.expect_err("once");
    assert!(matches!(again, StoreError::BadRequest(_)), "{again}");
    assert!(matches!(home.store.change(&id, "b").await, Err(StoreError::NotFound(_))));
}

#[tokio::test]
async fn what_is_taken_back_is_neither_shown_found_nor_told_and_stays_in_the_file() {
    let home = TempHome::new();
    let id = begin(&home, "first question").await.session;
    says(&home, &id, "first answer", &[]).await;
    home.store.prompt_put(prompt(tip(&id), "second question")).await.expect("stored");
    says(&home, &id, "second answer", &[]).await;
    let undone = home.store.prompt_undo(&id).await.expect("taken back");
    assert_eq!((undone.removed, undone.text.as_str(), undone.total), (2, "second question", 2));
    assert_eq!(texts(&home, &id).await, ["first question", "first answer"]);
    assert_eq!(context(&home, &id).await.len(), 2);
    let first = page(&home, &id).await.messages[0].id.clone();
    let edited = PromptAt::Tip { id: id.clone(), replace: Some(first) };
    let prompted = home.store.prompt_put(prompt(edited, "better question")).await.expect("stored");
    assert_eq!(prompted.total, 1);
    let row = list(&home, SessionListRequest::default()).await.rows.remove(0);
    assert_eq!((row.preview.as_deref(), row.message_count), (Some("better question"), 1));
    assert_eq!(context(&home, &id).await, [(MessageRole::User, "better question".to_owned())]);
    let kept: i64 =
        home.raw().query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).expect("a count");
    assert_eq!(kept, 5);
    let branch = home.store.session_branch(SessionBranchRequest { id: id.clone(), message_id: None }).await;
    assert_eq!(context(&home, &branch.expect("a copy").id).await.len(), 1, "a copy has none of it");
    let report = home.store.health_check(&Default::default()).await.expect("a check");
    assert!(report.items.iter().all(|item| item.state == HealthState::Good), "{report:?}");
}

#[tokio::test]
async fn only_a_prompt_behind_the_last_summary_can_be_replaced() {
    let home = TempHome::new();
    let id = begin(&home, "question").await.session;
    says(&home, &id, "answer", &[]).await;
    let rows = page(&home, &id).await.messages;
    let replacing = |n: usize| PromptAt::Tip { id: id.clone(), replace: Some(rows[n].id.clone()) };
    let refused = home.store.prompt_put(prompt(replacing(1), "x")).await.expect_err("an answer");
    assert!(matches!(refused, StoreError::BadRequest(_)));
    home.store.rotate(&id, "the gist".to_owned(), 0).await.expect("a child");
    let refused = home.store.prompt_put(prompt(replacing(0), "x")).await.expect_err("summed up");
    assert!(refused.to_string().contains("Branch from it"), "{refused}");
    assert!(matches!(home.store.prompt_undo(&id).await, Err(StoreError::BadRequest(_))));
    assert_eq!(page(&home, &id).await.total, 3);
}

#[tokio::test]
async fn a_summary_is_a_divider_and_the_child_keeps_the_last_rows_for_the_model_alone() {
    let home = TempHome::new();
    let id = begin(&home, "one").await.session;
    says(&home, &id, "two", &["a"]).await;
    results(&home, &id, "a", None).await;
    says(&home, &id, "three", &[]).await;
    let (child, total) = home.store.rotate(&id, "the gist".to_owned(), 3).await.expect("a child");
    assert_eq!(total, 5);
    assert_eq!(texts(&home, &child).await, ["one", "two", "result of a", "three", "the gist"]);
    let told: Vec<String> = context(&home, &id).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(told, ["the gist", "two", "result of a", "three"], "by the parent's id, too");
    let row = list(&home, SessionListRequest::default()).await.rows.remove(0);
    assert_eq!((&row.id, row.message_count), (&child, 4), "one row, under the tip; a divider is not counted");
    home.store.prompt_put(prompt(tip(&id), "four")).await.expect("it goes on");
    let (grandchild, _) = home.store.rotate(&id, "shorter".to_owned(), 1).await.expect("a grandchild");
    let told: Vec<String> = context(&home, &grandchild).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(told, ["shorter", "four"]);
    assert!(home.store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn another_try_leaves_the_work_of_a_turn_that_broke_off() {
    let home = TempHome::new();
    let id = begin(&home, "go").await.session;
    says(&home, &id, "I look.", &["a"]).await;
    results(&home, &id, "a", None).await;
    says(&home, &id, "half an", &[]).await;
    home.store.turn_end(&id, false).await.expect("it ends");
    let again = home.store.prompt_retry(&id, Retry::GoOn).await.expect("another try");
    assert_eq!(again.total, 3);
    assert_eq!(texts(&home, &id).await, ["go", "I look.", "result of a"]);
    says(&home, &id, "whole", &[]).await;
    assert_eq!(home.store.prompt_retry(&id, Retry::AsItEnded).await.expect("another answer").total, 1);
    assert_eq!(texts(&home, &id).await, ["go"]);
}

#[tokio::test]
async fn a_turn_that_the_process_left_open_says_so_at_the_next_opening() {
    let home = TempHome::new();
    let silent = begin(&home, "no answer yet").await.session;
    let half = begin(&home, "half an answer").await.session;
    home.store.turn_keep(&half, "Once upon".to_owned(), "hm".to_owned()).await.expect("kept");
    let working = begin(&home, "in a tool").await.session;
    says(&home, &working, "I look.", &["a", "b"]).await;
    results(&home, &working, "a", None).await;
    let waiting = begin(&home, "with a queue").await.session;
    home.store.waiting_set(&waiting, "and then".to_owned(), "no, this".to_owned()).await.expect("kept");
    let ended = begin(&home, "all said").await.session;
    says(&home, &ended, "yes", &[]).await;
    home.store.turn_end(&ended, false).await.expect("it ends");
    let home = home.reopened().await;
    let last = async |id: &SessionId| {
        let page = page(&home, id).await;
        let row = page.messages.last().expect("a row").clone();
        (page.session.unread, row.role, row.text, row.finish_reason)
    };
    let interrupted = Some(INTERRUPTED.to_owned());
    assert_eq!(last(&silent).await, (true, MessageRole::Assistant, String::new(), interrupted.clone()));
    assert_eq!(context(&home, &silent).await.len(), 1, "nothing said is nothing told");
    assert_eq!(last(&half).await, (true, MessageRole::Assistant, "Once upon".to_owned(), interrupted));
    let (unread, role, text, _) = last(&working).await;
    assert_eq!((unread, role), (true, MessageRole::Tool));
    assert!(text.contains("Interrupted"), "{text}");
    let rows = page(&home, &working).await.messages;
    let calls: Vec<_> = rows.iter().filter_map(|row| row.tool.as_ref()?.call_id.as_deref()).collect();
    assert_eq!(calls, ["a", "b"], "each call has one result");
    assert_eq!(last(&ended).await.2, "yes");
    let draft = DraftGetRequest { session_id: Some(waiting) };
    assert_eq!(
        home.store.draft_get(&"any".into(), draft).await.expect("a draft").text,
        "no, this\n\nand then"
    );
    let home = home.reopened().await;
    assert_eq!(page(&home, &half).await.total, 2, "once");
}

#[tokio::test]
async fn what_a_session_used_is_summed_up_and_goes_with_it() {
    let home = TempHome::new();
    let id = begin(&home, "go").await.session;
    let used = |input, output, cost| Used { input, output, cost };
    home.store.usage_add(&id, used(100, 10, None)).await.expect("kept");
    let sum = home.store.usage_add(&id, used(200, 20, Some(0.25))).await.expect("kept");
    assert_eq!((sum.input_tokens, sum.output_tokens, sum.calls, sum.context_used), (300, 30, 2, 220));
    assert_eq!(sum.cost, Some(0.25));
    let choice = ModelChoice { base_url: "http://localhost:1/v1".to_owned(), model: "m2".to_owned() };
    home.store.choice_set(&id, Some(choice.clone())).await.expect("kept");
    let opened = home.store.live_open(&id).await.expect("it opens");
    assert_eq!(
        (opened.choice, opened.usage, opened.folder.as_deref()),
        (Some(choice), sum, Some("/srv/app"))
    );
    home.store.session_delete(SessionDeleteRequest { id, mode: DeleteMode::Purge }).await.expect("gone");
    for table in ["turns", "usage", "choices", "messages", "changes", "waiting"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: i64 = home.raw().query_row(&sql, [], |row| row.get(0)).expect("a count");
        assert_eq!(left, 0, "{table}");
    }
}

#[tokio::test]
async fn what_was_allowed_for_good_is_exactly_that_in_that_folder() {
    let home = TempHome::new();
    home.store.allow("/srv/app", "terminal", "make test").await.expect("kept");
    let home = home.reopened().await;
    for (folder, tool, text, allowed) in [
        ("/srv/app", "terminal", "make test", true),
        ("/srv/app", "terminal", "make tes", false),
        ("/srv/app", "terminal", "make test ", false),
        ("/srv/app", "write_file", "make test", false),
        ("/srv", "terminal", "make test", false),
    ] {
        let is = home.store.is_allowed(folder, tool, text).await.expect("a look");
        assert_eq!(is, allowed, "{folder} {tool} {text}");
    }
}

#[tokio::test]
async fn a_title_that_nobody_typed_is_given_once_and_numbered() {
    let home = TempHome::new();
    put(&home, [titled(1, "Deploy", &["x"])]).await;
    let id = begin(&home, "go").await.session;
    assert!(home.store.title_automatic(&id, " Deploy ").await.expect("a title"));
    assert!(!home.store.title_automatic(&id, "Other").await.expect("there is one"));
    let row = home.store.session_get(SessionRef { id }).await.expect("the row");
    assert_eq!(row.title.as_deref(), Some("Deploy #2"));
}
