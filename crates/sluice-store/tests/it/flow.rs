//! The data of an account's map.

use rstest::rstest;
use sluice_model::{DeliveryId, EmitterId};
use sluice_store::{
    deliveries::DeliveryState,
    emitters::{self, EmitterName},
    flow::{self, Party},
    sources::{self, Phase, Source},
    users,
    webhooks::{self, Webhook},
    workflows,
};

use crate::{
    delivery_history::{end, payloads, send},
    support::{Db, TestStore, source, user, user_id, webhook, workflow},
};

#[rstest]
fn only_what_is_the_users_own_and_alive_is_on_the_map(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let mine = source("mine", &a, 1);
        sources::insert(c, &mine)?;
        sources::insert(c, &source("theirs", &b, 1))?;
        let unfinished = Source {
            phase: Phase::Creating,
            ..source("unfinished", &a, 1)
        };
        sources::insert(c, &unfinished)?;
        let party = Party {
            id: mine.id.to_string(),
            name: mine.name.clone(),
            name_slug: Some(mine.name_slug.clone()),
            active: mine.active,
            component_id: Some(mine.component_id.clone()),
        };
        assert_eq!(flow::sources(c, &a)?, [party]);
        assert_eq!(flow::workflows(c, &a)?, []);

        let named = Webhook {
            name: Some("Named".to_owned()),
            active: false,
            ..webhook("named", &a, 1)
        };
        webhooks::insert(c, &named)?;
        let unnamed = Webhook {
            name: None,
            ..webhook("unnamed", &a, 2)
        };
        webhooks::insert(c, &unnamed)?;
        webhooks::insert(c, &webhook("theirs", &b, 1))?;
        let party = |webhook: &Webhook, name: &str| Party {
            id: webhook.id.to_string(),
            name: name.to_owned(),
            name_slug: None,
            active: webhook.active,
            component_id: None,
        };
        let mut shown = flow::webhooks(c, &a)?;
        shown.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(
            shown,
            [party(&named, "Named"), party(&unnamed, &unnamed.url)]
        );
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn deliveries_are_counted_for_each_webhook(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (a, b) = (user_id("a"), user_id("b"));
        let (mine, quiet, theirs) = (
            webhook("mine", &a, 1),
            webhook("quiet", &a, 1),
            webhook("theirs", &b, 1),
        );
        for hook in [&mine, &quiet, &theirs] {
            webhooks::insert(c, hook)?;
        }
        for (at, payload) in (1..=5).zip(payloads(5)) {
            send(c, &payload, &[&mine.id, &theirs.id], at)?;
            if at > 2 {
                let id = DeliveryId::of(&payload, &mine.id);
                end(c, &id, DeliveryState::Failed)?;
            }
        }
        let counted = |count| [(mine.id.clone(), count)].into();
        assert_eq!(flow::waiting(c, &a)?, counted(2));
        assert_eq!(flow::failed(c, &a, 0)?, counted(3));
        assert_eq!(flow::failed(c, &a, 4)?, counted(2));
        assert!(flow::failed(c, &a, 6)?.is_empty());
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn sources_and_workflows_are_named_with_their_users(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let owner = user("a");
        users::insert(c, &owner, "fingerprint")?;
        let mine = source("mine", &owner.id, 1);
        sources::insert(c, &mine)?;
        let run = workflow("run", &owner.id, 1);
        workflows::insert(c, &run)?;
        sources::insert(c, &source("other", &owner.id, 1))?;
        let named = |name: &str, slug: &str| EmitterName {
            name: name.to_owned(),
            name_slug: slug.to_owned(),
            username: owner.username.clone(),
        };
        let ids: [EmitterId; 3] = [
            mine.id.clone().into(),
            source("unknown", &owner.id, 1).id.into(),
            run.id.clone().into(),
        ];
        let expected = [
            (ids[0].clone(), named(&mine.name, &mine.name_slug)),
            (ids[2].clone(), named(&run.name, &run.name_slug)),
        ];
        assert_eq!(emitters::names(c, &ids)?, expected.into());
        Ok(())
    })
    .unwrap();
}
