//! Brings a file to the schema of this version: numbered steps, all or nothing.
//!
//! `user_version` is the number of the last step. A file with a higher number was written by a newer version and is
//! not touched. A file that is not ours (another `application_id`, or tables without a number) is not touched either.

use super::error::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};

/// `TLRA`, in the file's header.
const APPLICATION_ID: i64 = 0x544c_5241;

/// Step n is the n-th entry. A released entry is never edited.
const STEPS: &[&str] = &[
    include_str!("../../migrations/0001_store.sql"),
    include_str!("../../migrations/0002_sweep.sql"),
    include_str!("../../migrations/0003_positions.sql"),
    include_str!("../../migrations/0004_live.sql"),
];

/// The schema this version writes.
pub const SCHEMA: i64 = STEPS.len() as i64;

/// Checks the file and brings it up to [`SCHEMA`]. Two processes may do this at once: the second finds it done.
pub(super) fn migrate(db: &mut Connection, path: &Path) -> Result<(), StoreError> {
    run(db, path, STEPS)
}

/// Refuses a file that this version must not touch; reads only. A file of this schema has all of its columns.
///
/// Errors: `Newer`, `Damaged`.
pub(super) fn check(db: &Connection, path: &Path) -> Result<(), StoreError> {
    if checked_version(db, path, SCHEMA)? == SCHEMA {
        check_columns(db, path)?;
    }
    Ok(())
}

/// The file's schema, when it is ours and this version knows it.
///
/// Errors: `Newer`, `Damaged`.
pub(super) fn version(db: &Connection, path: &Path) -> Result<i64, StoreError> {
    checked_version(db, path, SCHEMA)
}

/// A column that is missing would be met as a strange error by whatever needs it.
fn check_columns(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let whole = Connection::open_in_memory()?;
    for step in STEPS {
        whole.execute_batch(step)?;
    }
    const COLUMNS: &str = "SELECT t.name, i.name FROM pragma_table_list t, pragma_table_info(t.name) i \
        WHERE t.schema = 'main' AND t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let columns = |db: &Connection| -> Result<Vec<(String, String)>, StoreError> {
        let mut statement = db.prepare(COLUMNS)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    let here = columns(db)?;
    match columns(&whole)?.into_iter().find(|column| !here.contains(column)) {
        None => Ok(()),
        Some((table, column)) => Err(StoreError::Damaged {
            path: path.to_owned(),
            detail: format!("the table {table} has no column {column}"),
        }),
    }
}

fn run(db: &mut Connection, path: &Path, steps: &[&str]) -> Result<(), StoreError> {
    let newest = steps.len() as i64;
    match checked_version(db, path, newest)? {
        version if version == newest => return Ok(()),
        0 => {}
        // Outside the transaction: SQLite copies nothing from a connection that is writing.
        version => backup(db, path, version)?,
    }
    // Immediate: whoever comes second waits here, then reads the number the first one left.
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = checked_version(&tx, path, newest)?;
    for step in &steps[version as usize..] {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", newest)?;
    tx.commit()?;
    Ok(())
}

fn checked_version(db: &Connection, path: &Path, newest: i64) -> Result<i64, StoreError> {
    let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: i64 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let foreign =
        || StoreError::Damaged { path: path.to_owned(), detail: "it is not a store of Talaria".to_owned() };
    match version {
        _ if application != APPLICATION_ID && (application != 0 || tables != 0) => Err(foreign()),
        0 if tables == 0 => Ok(0),
        1.. if version > newest => {
            Err(StoreError::Newer { path: path.to_owned(), found: version, known: newest })
        }
        1.. => Ok(version),
        _ => Err(foreign()),
    }
}

/// Where the copy from before the step behind `version` is.
fn copy_of(path: &Path, version: i64) -> PathBuf {
    path.with_extension(format!("db.schema-{version}"))
}

/// The newest copy from before an update that lies beside a store.
pub fn newest_copy(path: &Path) -> Option<PathBuf> {
    (1..SCHEMA).rev().map(|version| copy_of(path, version)).find(|copy| copy.is_file())
}

/// One copy of the file as it was, beside it, the user's alone. A copy that is there already is from a start that failed:
/// kept. It has its name only once it is whole.
fn backup(db: &Connection, path: &Path, version: i64) -> Result<(), StoreError> {
    let copy = copy_of(path, version);
    if copy.exists() {
        return Ok(());
    }
    let part = path.with_extension(format!("db.schema-{version}.part"));
    match std::fs::remove_file(&part) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(StoreError::io(&part, error));
        }
        _ => {}
    }
    super::open::make_private(&part)?;
    db.backup("main", &part, None::<fn(rusqlite::backup::Progress)>)?;
    std::fs::rename(&part, &copy).map_err(|e| StoreError::io(&copy, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE a (x INTEGER);";
    const SECOND: &str = "CREATE TABLE b (x INTEGER);";

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("talaria.db");
        (folder, path)
    }

    fn version(db: &Connection) -> i64 {
        db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
    }

    #[test]
    fn a_second_step_leaves_one_copy_of_the_file_before_it() {
        let (_folder, path) = file();
        let mut db = Connection::open(&path).expect("a file");
        run(&mut db, &path, &[FIRST]).expect("the first step");
        run(&mut db, &path, &[FIRST, SECOND]).expect("the second step");
        assert_eq!(version(&db), 2);
        let copy = Connection::open(path.with_extension("db.schema-1")).expect("the copy");
        assert_eq!(version(&copy), 1, "the copy is the file as it was");
        copy.prepare("SELECT x FROM a").expect("the copy has its table");
        copy.prepare("SELECT x FROM b").expect_err("and not the new one");
    }

    #[test]
    fn a_copy_that_broke_off_is_made_anew_and_is_the_users_alone() {
        let (folder, path) = file();
        let mut db = Connection::open(&path).expect("a file");
        run(&mut db, &path, &[FIRST]).expect("the first step");
        std::fs::write(folder.path().join("talaria.db.schema-1.part"), "half of it").expect("a broken copy");
        run(&mut db, &path, &[FIRST, SECOND]).expect("the second step");
        let copy = path.with_extension("db.schema-1");
        assert_eq!(version(&Connection::open(&copy).expect("the copy")), 1);
        assert!(!folder.path().join("talaria.db.schema-1.part").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&copy).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let (_folder, path) = file();
        let mut db = Connection::open(&path).expect("a file");
        run(&mut db, &path, &[FIRST]).expect("the first step");
        let broken = "CREATE TABLE b (x INTEGER); CREATE TABLE a (x INTEGER);";
        run(&mut db, &path, &[FIRST, broken]).expect_err("a is there already");
        assert_eq!(version(&db), 1);
        db.prepare("SELECT x FROM b").expect_err("b was rolled back");
    }

    #[test]
    fn a_file_of_another_program_is_not_touched() {
        let (_folder, path) = file();
        let mut db = Connection::open(&path).expect("a file");
        db.execute_batch("CREATE TABLE theirs (x INTEGER)").expect("their table");
        let error = run(&mut db, &path, &[FIRST]).expect_err("it is not ours");
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        db.prepare("SELECT x FROM a").expect_err("nothing was added");
    }
}
