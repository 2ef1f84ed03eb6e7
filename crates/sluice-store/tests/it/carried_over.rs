//! Migrations keep the data of earlier schemas.

use rstest::rstest;
use sluice_model::{CodeError, ComponentKind};
use sluice_store::{
    components::{self, Component, Packages},
    imports,
    registry::{self, Publication, Shelf},
    state,
};

use crate::support::{Db, Place, TestStore, component, component_id, source_id, user_id};

macro_rules! migrations {
    ($database:literal: $($name:literal),*) => {
        [$(include_str!(concat!("../../migrations/", $database, "/", $name, ".sql"))),*].concat()
    };
}

/// A database as it was before the registry had versions.
fn before_versions(db: Db) -> String {
    let schema = match db {
        Db::Sqlite => migrations!(
            "sqlite": "0001_initial", "0002_accounts", "0003_props", "0004_data_stores",
            "0005_packages", "0006_delivery", "0007_retention", "0008_workflows"
        ),
        Db::Postgres => migrations!(
            "postgres": "0001_initial", "0002_accounts", "0003_props", "0004_data_stores",
            "0005_packages", "0006_delivery", "0007_retention", "0008_workflows"
        ),
    };
    format!(
        "CREATE TABLE schema_version (version BIGINT NOT NULL PRIMARY KEY);
         INSERT INTO schema_version (version) VALUES (1), (2), (3), (4), (5), (6), (7), (8);
         {schema}"
    )
}

/// A database as it was before errors of imports were data.
fn before_code_errors(db: Db) -> String {
    let schema = match db {
        Db::Sqlite => {
            migrations!("sqlite": "0009_registry", "0010_sessions", "0011_activity", "0012_console_lists", "0013_step_pauses", "0014_commit_numbers", "0015_clock")
        }
        Db::Postgres => {
            migrations!("postgres": "0009_registry", "0010_sessions", "0011_activity", "0012_console_lists", "0013_step_pauses", "0014_commit_numbers", "0015_clock")
        }
    };
    let versions =
        "INSERT INTO schema_version (version) VALUES (9), (10), (11), (12), (13), (14), (15);";
    before_versions(db) + versions + &schema
}

#[rstest]
fn what_was_published_before_versions_were_kept_is_still_there(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(place) = Place::new(db) else { return };
    // The default has a NUL and a text that looks like one; the second version is not semantic.
    let shape = |version: &str| {
        format!(
            r#"{{"name":"N","key":null,"version":"{version}","description":"It's \"d\"","kind":"action","dedupe":null,
            "props":[{{"name":"a","type":"string","default":"\u0000 \\u0000"}}],
            "hooks":[],"has_run":true,"format":"esm"}}"#
        )
        .replace('\'', "''")
    };
    let published = [("sc_a", "one_app-new", "1.0.0"), ("sc_b", "odd", "7")];
    let rows = published.map(|(id, key, version)| {
        let shape = shape(version);
        format!(
            "INSERT INTO components (id, user_id, key, name, version, code, code_hash, shape, created_at, updated_at)
             VALUES ('{id}', 'u_a', '{key}', 'N', '{version}', 'x', 'h', '{shape}', 1, 1);
             INSERT INTO registry (key, component_id, published_at) VALUES ('{key}', '{id}', 5);"
        )
    });
    place.execute(&(before_versions(db) + &rows.concat()));
    let t = TestStore::at(place);
    t.write(|c| {
        let mut listed = registry::list(c, &Shelf::Server)?;
        listed.sort_by(|a, b| a.key.cmp(&b.key));
        let carried = |id: &str, key: &str, version: &str, app: Option<&str>| Publication {
            shelf: Shelf::Server,
            key: key.to_owned(),
            version: version.to_owned(),
            component_id: component_id(id),
            app: app.map(str::to_owned),
            kind: ComponentKind::Action,
            name: "N".to_owned(),
            description: Some("It's \"d\"".to_owned()),
            published_at: 5,
        };
        let expected = [
            carried("b", "odd", "7", None),
            carried("a", "one_app-new", "1.0.0", Some("one_app")),
        ];
        assert_eq!(listed, expected);
        let odd = registry::newest(c, &Shelf::Server, "odd")?.unwrap();
        assert_eq!(odd.packages, Packages::Resolved(None));
        let semantic = Component {
            key: Some("odd".to_owned()),
            ..component("c", &user_id("a"))
        };
        components::insert(c, &semantic)?;
        registry::publish(c, &carried("c", "odd", "0.0.1", None))?;
        let newest = registry::newest(c, &Shelf::Server, "odd")?;
        assert_eq!(newest, Some(semantic));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_last_emit_of_a_source_is_found_among_its_events_when_it_was_not_kept_yet(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(place) = Place::new(db) else { return };
    let states = ["dc_a", "dc_b"].map(|id| {
        format!(
            "INSERT INTO emitter_state (emitter_id, last_event_ms, last_event_seq) VALUES ('{id}', 9, 0);"
        )
    });
    let events = [
        ("dc_a", 4, ""),
        ("dc_a", 7, "custom"),
        ("dc_a", 9, "$errors"),
        ("dc_b", 9, "$errors"),
    ];
    let events = events.map(|(id, ms, channel)| {
        format!(
            "INSERT INTO events (emitter_id, ms, seq, channel, emit_id, meta, data)
             VALUES ('{id}', {ms}, 0, '{channel}', 'e', '{{}}', '1');"
        )
    });
    place.execute(&(before_versions(db) + &states.concat() + &events.concat()));
    let t = TestStore::at(place);
    t.read(|c| {
        let (a, b) = (source_id("a").into(), source_id("b").into());
        let last = state::last_emits(c, &[a, b])?;
        assert_eq!(last, [(source_id("a").into(), 7)].into());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn the_error_of_an_import_becomes_a_list(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(place) = Place::new(db) else { return };
    let imports = "INSERT INTO imports (tree, path, files, key, version, error) VALUES
         ('t', 'a.mjs', '{}', 'a', '1', NULL), ('t', 'b.mjs', '{}', NULL, NULL, 'it''s \"bad\"');";
    place.execute(&(before_code_errors(db) + imports));
    let t = TestStore::at(place);
    t.read(|c| {
        let errors = imports::list(c, "t", "", 10)?
            .into_iter()
            .map(|import| import.errors);
        let bad = CodeError::without_position("it's \"bad\"");
        assert_eq!(errors.collect::<Vec<_>>(), [vec![], vec![bad]]);
        Ok(())
    })
    .unwrap();
}
