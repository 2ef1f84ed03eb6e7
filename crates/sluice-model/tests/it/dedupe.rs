//! The three dedupe strategies and the order of a batch, against plain models of them.

use proptest::prelude::*;
use sluice_model::{DedupeKey, DedupeState, DedupeStrategy, Verdict, order_by_ts};

use DedupeStrategy::{Greatest, Last, Unique};
use Verdict::{Duplicate, Emit, MissingId, NotANumber};

fn key(id: &str) -> DedupeKey {
    DedupeKey {
        id: Some(id.to_owned()),
        ts: None,
    }
}

fn keys<const N: usize>(ids: [&str; N]) -> Vec<DedupeKey> {
    ids.map(key).to_vec()
}

fn at(id: &str, ts: f64) -> DedupeKey {
    DedupeKey {
        ts: Some(ts),
        ..key(id)
    }
}

const NO_ID: DedupeKey = DedupeKey { id: None, ts: None };

fn reloaded(state: &DedupeState) -> DedupeState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}

#[test]
fn without_a_strategy_everything_is_emitted() {
    let mut state = DedupeState::default();
    assert_eq!(
        state.admit(None, &[key("a"), key("a"), NO_ID]),
        [Emit, Emit, Emit]
    );
    assert_eq!(state, DedupeState::default());
    assert_eq!(serde_json::to_string(&state).unwrap(), "{}");
}

#[test]
fn unique_drops_ids_seen_before_and_within_the_batch() {
    let mut state = DedupeState::default();
    assert_eq!(
        state.admit(Some(Unique), &[key("a"), key("a"), NO_ID]),
        [Emit, Duplicate, MissingId]
    );
    let mut state = reloaded(&state);
    assert_eq!(
        state.admit(Some(Unique), &keys(["b", "a", "A"])),
        [Emit, Duplicate, Emit]
    );
}

#[test]
fn unique_forgets_the_oldest_of_100_and_a_hit_does_not_refresh() {
    let mut state = DedupeState::default();
    let first: Vec<DedupeKey> = (0..100).map(|n| key(&n.to_string())).collect();
    assert!(
        state
            .admit(Some(Unique), &first)
            .iter()
            .all(|verdict| *verdict == Emit)
    );
    assert_eq!(state.admit(Some(Unique), &keys(["0"])), [Duplicate]);
    assert_eq!(state.admit(Some(Unique), &keys(["100"])), [Emit]);
    assert_eq!(reloaded(&state), state);
    assert_eq!(
        state.admit(Some(Unique), &keys(["1", "0"])),
        [Duplicate, Emit]
    );
}

#[test]
fn ids_are_compared_whole() {
    let mut state = DedupeState::default();
    let long = "x".repeat(64);
    let batch = [key(&format!("{long}1")), key(&format!("{long}2"))];
    assert_eq!(state.admit(Some(Unique), &batch), [Emit, Emit]);
}

#[test]
fn greatest_emits_only_what_is_larger_than_all_before() {
    let mut state = DedupeState::default();
    let batch = [
        key("5"),
        key("3"),
        key("abc"),
        NO_ID,
        key("5.0"),
        key("5.5"),
        key("10"),
    ];
    assert_eq!(
        state.admit(Some(Greatest), &batch),
        [
            Emit, Duplicate, NotANumber, MissingId, Duplicate, Emit, Emit
        ]
    );
    let mut state = reloaded(&state);
    assert_eq!(
        state.admit(Some(Greatest), &keys(["10", "11"])),
        [Duplicate, Emit]
    );
}

#[test]
fn greatest_distinguishes_big_integers() {
    let mut state = DedupeState::default();
    assert_eq!(
        state.admit(
            Some(Greatest),
            &keys(["9007199254740992", "9007199254740993"])
        ),
        [Emit, Emit]
    );
    let mut state = reloaded(&state);
    assert_eq!(
        state.admit(
            Some(Greatest),
            &keys(["9007199254740993", "9007199254740994"])
        ),
        [Duplicate, Emit]
    );
}

#[test]
fn greatest_takes_a_negative_first_id() {
    let mut state = DedupeState::default();
    assert_eq!(
        state.admit(Some(Greatest), &keys(["-5", "-4"])),
        [Emit, Emit]
    );
}

#[test]
fn last_emits_what_follows_the_remembered_id() {
    let mut state = DedupeState::default();
    assert_eq!(state.admit(Some(Last), &keys(["a", "b"])), [Emit, Emit]);
    let mut state = reloaded(&state);
    assert_eq!(
        state.admit(Some(Last), &keys(["a", "b", "c"])),
        [Duplicate, Duplicate, Emit]
    );
    assert_eq!(state.admit(Some(Last), &keys(["c"])), [Duplicate]);
    assert_eq!(
        state.admit(Some(Last), &keys(["x", "y"])),
        [Emit, Emit],
        "no id matches"
    );
}

#[test]
fn last_takes_the_last_of_several_matches() {
    let mut state = DedupeState::default();
    state.admit(Some(Last), &keys(["a"]));
    assert_eq!(
        state.admit(Some(Last), &keys(["a", "b", "a", "c"])),
        [Duplicate, Duplicate, Duplicate, Emit]
    );
}

#[test]
fn last_leaves_emits_without_id_out_of_the_batch() {
    let mut state = DedupeState::default();
    state.admit(Some(Last), &keys(["a"]));
    assert_eq!(state.admit(Some(Last), &[NO_ID]), [MissingId]);
    assert_eq!(state.admit(Some(Last), &[]), []);
    assert_eq!(
        state.admit(Some(Last), &[NO_ID, key("a"), NO_ID, key("b"), NO_ID]),
        [MissingId, Duplicate, MissingId, Emit, MissingId]
    );
    assert_eq!(
        state.admit(Some(Last), &keys(["b", "c"])),
        [Duplicate, Emit]
    );
}

#[test]
fn last_remembers_the_newest_by_ts() {
    let mut state = DedupeState::default();
    state.admit(
        Some(Last),
        &[
            at("new", 9.0),
            at("tie", 9.0),
            at("old", 1.0),
            at("odd", f64::NAN),
            key("none"),
        ],
    );
    assert_eq!(
        state.admit(Some(Last), &keys(["none", "old", "new", "tie", "next"])),
        [Duplicate, Duplicate, Duplicate, Duplicate, Emit]
    );
}

#[test]
fn last_remembers_ids_of_the_whole_batch_emitted_or_not() {
    let mut state = DedupeState::default();
    state.admit(Some(Last), &keys(["b"]));
    // "b" is newest by ts, though nothing of this batch up to it is emitted.
    assert_eq!(
        state.admit(Some(Last), &[at("a", 1.0), at("b", 2.0), key("c")]),
        [Duplicate, Duplicate, Emit]
    );
    assert_eq!(
        state.admit(Some(Last), &keys(["b", "c"])),
        [Duplicate, Emit]
    );
}

#[test]
fn strategies_do_not_share_their_state() {
    let mut state = DedupeState::default();
    state.admit(Some(Unique), &keys(["7"]));
    assert_eq!(state.admit(Some(Greatest), &keys(["7"])), [Emit]);
    assert_eq!(state.admit(Some(Last), &keys(["7"])), [Emit]);
    assert_eq!(state.admit(Some(Unique), &keys(["7"])), [Duplicate]);
}

#[test]
fn a_stored_cache_that_is_too_long_keeps_the_newest() {
    let ids: Vec<String> = (0..150).map(|n| n.to_string()).collect();
    let mut state: DedupeState =
        serde_json::from_value(serde_json::json!({"unique": ids})).unwrap();
    assert_eq!(
        state.admit(Some(Unique), &keys(["50", "149"])),
        [Duplicate, Duplicate]
    );
    assert_eq!(state.admit(Some(Unique), &keys(["49"])), [Emit]);
}

#[test]
fn items_without_a_finite_ts_keep_their_positions() {
    let mut items = [
        ("c", Some(3.0)),
        ("x", None),
        ("a", Some(1.0)),
        ("y", Some(f64::INFINITY)),
        ("b", Some(2.0)),
    ];
    order_by_ts(&mut items, |item| item.1);
    assert_eq!(items.map(|item| item.0), ["a", "x", "b", "y", "c"]);
}

/// `unique` written down as plainly as the rule itself.
fn unique_model(cache: &mut Vec<String>, id: &str) -> Verdict {
    if cache.iter().any(|known| known == id) {
        return Duplicate;
    }
    cache.push(id.to_owned());
    if cache.len() > 100 {
        cache.remove(0);
    }
    Emit
}

fn timed_items() -> impl Strategy<Value = Vec<(usize, Option<f64>)>> {
    let ts = prop_oneof![
        Just(None),
        Just(Some(f64::NAN)),
        (0..5_i32).prop_map(|ts| Some(f64::from(ts)))
    ];
    prop::collection::vec(ts, 0..40).prop_map(|all| all.into_iter().enumerate().collect())
}

fn is_timed(item: &(usize, Option<f64>)) -> bool {
    item.1.is_some_and(f64::is_finite)
}

proptest! {
    #[test]
    fn unique_agrees_with_the_model(batches in prop::collection::vec(prop::collection::vec(0..150_u32, 0..60), 0..12)) {
        let mut state = DedupeState::default();
        let mut cache = Vec::new();
        for batch in batches {
            let ids: Vec<String> = batch.iter().map(u32::to_string).collect();
            let expected: Vec<Verdict> = ids.iter().map(|id| unique_model(&mut cache, id)).collect();
            let batch: Vec<DedupeKey> = ids.iter().map(|id| key(id)).collect();
            prop_assert_eq!(state.admit(Some(Unique), &batch), expected);
            state = reloaded(&state);
        }
    }

    #[test]
    fn greatest_emits_a_rising_sequence(ids in prop::collection::vec(any::<i64>(), 0..60), split in 0..60_usize) {
        let mut state = DedupeState::default();
        let batch: Vec<DedupeKey> = ids.iter().map(|id| key(&id.to_string())).collect();
        let (first, second) = batch.split_at(split.min(batch.len()));
        let mut verdicts = state.admit(Some(Greatest), first);
        verdicts.extend(reloaded(&state).admit(Some(Greatest), second));
        let mut maximum = None;
        for (id, verdict) in ids.into_iter().zip(verdicts) {
            let larger = maximum.is_none_or(|maximum| id > maximum);
            prop_assert_eq!(verdict == Emit, larger);
            maximum = maximum.max(Some(id));
        }
    }

    #[test]
    fn last_emits_exactly_the_tail_after_the_match(first in prop::collection::vec(0..6_u8, 1..8), second in prop::collection::vec(0..6_u8, 0..8)) {
        let to_keys = |ids: &[u8]| ids.iter().map(|id| key(&id.to_string())).collect::<Vec<_>>();
        let mut state = DedupeState::default();
        state.admit(Some(Last), &to_keys(&first));
        let verdicts = state.admit(Some(Last), &to_keys(&second));
        let tail = second.iter().rposition(|id| Some(id) == first.last()).map_or(0, |place| place + 1);
        prop_assert!(verdicts[..tail].iter().all(|verdict| *verdict == Duplicate));
        prop_assert!(verdicts[tail..].iter().all(|verdict| *verdict == Emit));
    }

    #[test]
    fn ordering_is_stable_and_moves_only_timed_items(items in timed_items()) {
        let mut ordered = items.clone();
        order_by_ts(&mut ordered, |item| item.1);
        for (before, after) in items.iter().zip(&ordered) {
            prop_assert_eq!(is_timed(before), is_timed(after));
            prop_assert!(is_timed(before) || before.0 == after.0);
        }
        let mut expected: Vec<_> = items.into_iter().filter(is_timed).collect();
        expected.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap());
        let timed: Vec<_> = ordered.into_iter().filter(is_timed).collect();
        prop_assert_eq!(timed, expected);
    }
}
