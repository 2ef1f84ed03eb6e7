//! Webhooks: their rows and their lists.

use rstest::rstest;
use sluice_model::{Cursor, WebhookId};
use sluice_store::{
    Page, delivery_history,
    queue_claims::{self, OpenBreaker},
    webhook_health,
    webhooks::{self, PreviousSecret, Webhook, WebhookFilter},
};

use crate::support::{Db, TestStore, user_id, webhook};

#[rstest]
fn a_webhook_comes_back_as_it_went_and_as_it_was_changed(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let mut mine = webhook("w", &a, 5);
        webhooks::insert(c, &mine)?;
        assert_eq!(webhooks::get(c, &a, &mine.id)?.as_ref(), Some(&mine));
        assert_eq!(webhooks::hold(c, &a, &mine.id)?.as_ref(), Some(&mine));
        assert_eq!(webhooks::get(c, &b, &mine.id)?, None);
        assert_eq!(webhooks::hold(c, &b, &mine.id)?, None);
        mine = Webhook {
            name: Some("name".to_owned()),
            description: Some("description".to_owned()),
            url: "http://example.org".to_owned(),
            active: false,
            concurrency: 7,
            secret: "other".to_owned(),
            previous: Some(PreviousSecret {
                secret: "sealed".to_owned(),
                until: 9,
            }),
            updated_at: 8,
            ..mine
        };
        assert!(webhooks::update(c, &mine)?);
        assert_eq!(webhooks::get(c, &a, &mine.id)?.as_ref(), Some(&mine));
        let stolen = Webhook {
            user_id: b,
            ..mine.clone()
        };
        assert!(!webhooks::update(c, &stolen)?);
        assert_eq!(webhooks::get_for_delivery(c, &mine.id)?, Some(mine));
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn webhooks_page_newest_first_for_their_user(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        for (tail, at) in [("b", 1), ("c", 2), ("a", 2), ("d", 3)] {
            webhooks::insert(c, &webhook(tail, &a, at))?;
        }
        let inactive = Webhook {
            active: false,
            ..webhook("e", &a, 4)
        };
        webhooks::insert(c, &inactive)?;
        webhooks::insert(c, &webhook("other", &user_id("b"), 9))?;
        assert_eq!(webhooks::count(c, &a, &WebhookFilter::default())?, 5);
        let first = Page {
            limit: 3,
            after: None,
            before: None,
        };
        let rows = webhooks::page(c, &a, &WebhookFilter::default(), &first)?;
        let ids: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["wh_e", "wh_d", "wh_c"]);
        let after = Some(Cursor {
            at_ms: 2,
            id: "wh_c".to_owned(),
        });
        let rows = webhooks::page(c, &a, &WebhookFilter::default(), &Page { after, ..first })?;
        let ids: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids, ["wh_a", "wh_b"]);
        let active = webhooks::active(c, &a)?;
        let active: Vec<_> = active.iter().map(WebhookId::as_str).collect();
        assert_eq!(active, ["wh_b", "wh_a", "wh_c", "wh_d"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn webhooks_are_found_by_part_of_their_name_or_address(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let a = user_id("a");
        let named = Webhook {
            name: Some("Orders 100%".to_owned()),
            ..webhook("n", &a, 1)
        };
        webhooks::insert(c, &named)?;
        webhooks::insert(c, &webhook("Orders", &a, 2))?;
        webhooks::insert(c, &webhook("plain", &a, 3))?;
        webhooks::insert(c, &webhook("foreign", &user_id("b"), 9))?;
        let all = Page {
            limit: 10,
            after: None,
            before: None,
        };
        for (text, expected) in [
            (Some("oRDERS"), &["wh_Orders", "wh_n"][..]),
            (Some("EXAMPLE.com/p"), &["wh_plain"]),
            (Some("0%"), &["wh_n"]),
            (Some("_"), &[]),
            (None, &["wh_plain", "wh_Orders", "wh_n"]),
        ] {
            let filter = WebhookFilter::new(text);
            let rows = webhooks::page(c, &a, &filter, &all)?;
            let ids: Vec<_> = rows.iter().map(|row| row.id.as_str()).collect();
            assert_eq!(ids, expected, "{text:?}");
            assert_eq!(webhooks::count(c, &a, &filter)?, expected.len() as u64);
        }
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn a_failing_webhook_is_known_until_it_works_or_is_changed(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let user = user_id("a");
        let mut row = webhook("w", &user, 5);
        webhooks::insert(c, &row)?;
        let ids = [row.id.clone()];
        assert!(webhook_health::failing(c, &ids)?.is_empty());
        webhooks::failed(c, &row.id, 10, "first")?;
        webhooks::failed(c, &row.id, 20, "second")?;
        let failing = webhook_health::failing_of_user(c, &user)?;
        assert_eq!(failing.len(), 1);
        assert_eq!(
            (failing[0].since, failing[0].error.as_str()),
            (10, "second")
        );
        assert_eq!((failing[0].open_until, failing[0].next_due), (None, None));
        queue_claims::claim(c, row.id.as_str(), "node", false)?;
        let breaker = OpenBreaker {
            peer: String::new(),
            failures: 5,
            opened_at: 20,
            open_until: 30,
        };
        queue_claims::save_breakers(c, row.id.as_str(), "node", &[breaker])?;
        assert_eq!(
            webhook_health::failing(c, &ids)?[&row.id].open_until,
            Some(30)
        );
        assert_eq!(delivery_history::next_pending(c, &row.id)?, None);
        assert_eq!(delivery_history::hasten_batch(c, &row.id, 30, 9)?, 0);

        row.name = Some("same".to_owned());
        webhooks::update(c, &row)?;
        assert_eq!(webhook_health::failing(c, &ids)?.len(), 1);
        row.url = "http://example.org/other".to_owned();
        webhooks::update(c, &row)?;
        assert!(webhook_health::failing(c, &ids)?.is_empty());
        webhooks::failed(c, &row.id, 40, "third")?;
        webhooks::delivered(c, &row.id, 50)?;
        assert!(webhook_health::failing(c, &ids)?.is_empty());
        sluice_store::ping(c)
    })
    .unwrap();
}
