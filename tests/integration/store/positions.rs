use super::*;

fn at(n: usize, path: &str, seconds: f64) -> MediaPositionRequest {
    MediaPositionRequest { session_id: session_id(n), path: path.to_owned(), seconds }
}

async fn of(home: &TempHome, n: usize, path: &str) -> f64 {
    home.store.position(&session_id(n), path).await.expect("a place")
}

#[tokio::test]
async fn a_place_is_kept_for_each_session_and_tag_until_it_is_taken_back_to_the_start() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"]), titled(2, "two", &["x"])]).await;
    for request in
        [at(1, "/a.mp4", 12.5), at(1, "~/a.mp4", 3.25), at(2, "/a.mp4", 7.0), at(1, "/a.mp4", 90.0625)]
    {
        home.store.position_set(request).await.expect("kept");
    }
    let home = home.reopened().await;
    assert_eq!(of(&home, 1, "/a.mp4").await, 90.063);
    assert_eq!(of(&home, 1, "~/a.mp4").await, 3.25);
    assert_eq!(of(&home, 2, "/a.mp4").await, 7.0);
    assert_eq!(of(&home, 2, "/A.mp4").await, 0.0);
    home.store.position_set(at(1, "/a.mp4", 0.0)).await.expect("forgotten");
    home.store.position_set(at(2, "/a.mp4", -5.0)).await.expect("forgotten");
    assert_eq!((of(&home, 1, "/a.mp4").await, of(&home, 2, "/a.mp4").await), (0.0, 0.0));
    assert_eq!(of(&home, 1, "~/a.mp4").await, 3.25);
}

#[tokio::test]
async fn what_no_session_or_file_can_be_is_refused() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"])]).await;
    let refused = home.store.position_set(at(9, "/a.mp4", 1.0)).await.expect_err("no such session");
    assert_eq!(code(refused), ErrorCode::NotFound);
    for path in [String::new(), "x".repeat(4097)] {
        let refused = home.store.position_set(at(1, &path, 1.0)).await.expect_err("no such path");
        assert_eq!(code(refused), ErrorCode::BadRequest);
    }
    home.store.position_set(at(1, &"x".repeat(4096), 1.0)).await.expect("kept");
}

#[tokio::test]
async fn of_a_session_and_of_all_the_one_left_longest_ago_goes_first() {
    let home = TempHome::new();
    put(&home, (1..=21).map(|n| titled(n, &format!("t{n}"), &["x"]))).await;
    // 500 of each, left one after the other: session 1 first.
    home.raw()
        .execute(
            "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 9999) INSERT INTO positions \
             SELECT l.id, '/' || (x % 500), 1000, x FROM n JOIN sessions s ON s.id = 'session-' || (x / 500 + 1) \
             JOIN lineages l ON l.id = s.lineage",
            [],
        )
        .expect("places");
    home.store.position_set(at(20, "/new", 1.0)).await.expect("kept");
    assert_eq!((of(&home, 20, "/0").await, of(&home, 20, "/1").await), (0.0, 1.0));
    assert_eq!(of(&home, 1, "/0").await, 1.0, "there are 10,000");
    home.store.position_set(at(21, "/new", 1.0)).await.expect("kept");
    assert_eq!((of(&home, 1, "/0").await, of(&home, 1, "/1").await), (0.0, 1.0));
    home.store.position_set(at(1, "/1", 2.0)).await.expect("heard again");
    home.store.position_set(at(21, "/newer", 1.0)).await.expect("kept");
    assert_eq!((of(&home, 1, "/1").await, of(&home, 1, "/2").await), (2.0, 0.0));
    let count = |sql: &str| home.raw().query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a count");
    assert_eq!(count("SELECT count(*) FROM positions"), 10_000);
}

#[tokio::test]
async fn the_trash_keeps_places_and_a_session_that_goes_for_good_takes_its_own_along() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"]), titled(2, "two", &["x"])]).await;
    for n in [1, 2] {
        home.store.position_set(at(n, "/a.mp4", n as f64)).await.expect("kept");
    }
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("in the trash");
    home.store.session_restore(restore(1)).await.expect("restored");
    assert_eq!(of(&home, 1, "/a.mp4").await, 1.0);
    home.store.session_delete(delete(1, DeleteMode::Purge)).await.expect("gone");
    let left: i64 =
        home.raw().query_row("SELECT count(*) FROM positions", [], |row| row.get(0)).expect("a count");
    assert_eq!((left, of(&home, 2, "/a.mp4").await), (1, 2.0));
}

#[tokio::test]
async fn a_copy_of_a_session_begins_at_the_start_of_its_files() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x", "y"])]).await;
    home.store.position_set(at(1, "/a.mp4", 5.0)).await.expect("kept");
    let request = SessionBranchRequest { id: session_id(1), message_id: None };
    let copy = home.store.session_branch(request).await.expect("a copy");
    assert_eq!(home.store.position(&copy.id, "/a.mp4").await.expect("a place"), 0.0);
    assert_eq!(of(&home, 1, "/a.mp4").await, 5.0);
}
