//! Every operation of the API that may change something is audited, or exempt for a reason.

use std::collections::BTreeSet;

use sluice_server::openapi;

/// Operations with the action that they record. `changes` performs each of them.
pub(super) const AUDITED: [(&str, &str); 63] = [
    ("createAccount", "account.create"),
    ("createAutoSubscription", "auto_subscription.create"),
    ("createComponent", "component.create"),
    ("createKey", "key.create"),
    ("createSource", "source.create"),
    ("createSubscription", "subscription.create"),
    ("createUser", "user.create"),
    ("createWebhook", "webhook.create"),
    ("createWorkflow", "workflow.create"),
    ("deleteAccount", "account.delete"),
    ("deleteDataStore", "data_store.delete"),
    ("deleteEvents", "event.delete"),
    ("deleteKey", "key.delete"),
    ("deleteSavedEvent", "saved_event.delete"),
    ("deleteSavedEventOfWorkflow", "saved_event.delete"),
    ("deleteSource", "source.delete"),
    ("deleteSubscription", "subscription.delete"),
    ("deleteUser", "user.delete"),
    ("deleteWebhook", "webhook.delete"),
    ("deleteWorkflow", "workflow.delete"),
    ("disableTool", "tool.disable"),
    ("enableTool", "tool.enable"),
    ("endOtherSessions", "session.end"),
    ("endSession", "session.end"),
    ("importComponents", "registry.import"),
    ("publishComponent", "registry.publish"),
    ("publishToAccount", "component.publish"),
    ("registerApp", "app.register"),
    ("removeApp", "app.remove"),
    ("replayActionRun", "run.replay"),
    ("replayDeliveries", "delivery.replay"),
    ("replayDelivery", "delivery.replay"),
    ("replayEvents", "event.replay"),
    ("replayRun", "run.replay"),
    ("replayRuns", "run.replay"),
    ("replayWebhook", "delivery.replay"),
    ("retryWebhook", "delivery.retry"),
    ("rollBackSource", "source.rollback"),
    ("rollBackWorkflow", "workflow.rollback"),
    ("rotateNotificationSecret", "notification.rotate_secret"),
    ("rotateOwnKey", "user.rotate_key"),
    ("rotateUserKey", "user.rotate_key"),
    ("rotateWebhookSecret", "webhook.rotate_secret"),
    ("runAction", "action.run"),
    ("runSource", "source.run"),
    ("runTool", "action.run"),
    ("runWorkflow", "workflow.run"),
    ("saveEvent", "saved_event.save"),
    ("saveEventOfWorkflow", "saved_event.save"),
    ("setOauthClient", "app.set_oauth_client"),
    ("signIn", "session.sign_in"),
    ("signOut", "session.sign_out"),
    ("signUp", "user.sign_up"),
    ("testWorkflow", "workflow.test"),
    ("undoImport", "registry.undo_import"),
    ("unpublishComponent", "registry.unpublish"),
    ("unpublishFromAccount", "component.unpublish"),
    ("updateAccount", "account.update"),
    ("updateCurrentUser", "user.update"),
    ("updateNotifications", "notification.update"),
    ("updateSource", "source.update"),
    ("updateUser", "user.update"),
    ("updateWebhook", "webhook.update"),
];

/// `updateWorkflow` has an action for each kind of update; `changes` performs them by name.
pub(super) const BY_KIND: [&str; 1] = ["updateWorkflow"];

/// Operations without an entry, and the reason.
const EXEMPT: [(&str, &str); 9] = [
    (
        "approveAgent",
        "gives a code: its exchange records key.create",
    ),
    (
        "connectAccount",
        "changes nothing until the provider confirms: then account.connect is recorded",
    ),
    ("authorizeConnection", "a step of connecting an account"),
    ("createSavedFilter", "a preference of the console"),
    ("updateSavedFilter", "a preference of the console"),
    ("deleteSavedFilter", "a preference of the console"),
    ("configureComponent", "reads the options of a prop"),
    ("reloadComponentProps", "reads the props of a component"),
    (
        "testNotifications",
        "sends a message to the user, and changes nothing",
    ),
];

#[test]
fn every_operation_that_may_change_something_is_audited_or_exempt() {
    let document = serde_json::to_value(openapi()).unwrap();
    let mut operations = BTreeSet::new();
    for methods in document["paths"].as_object().unwrap().values() {
        for (method, operation) in methods.as_object().unwrap() {
            if ["post", "put", "patch", "delete"].contains(&method.as_str()) {
                operations.insert(operation["operationId"].as_str().unwrap());
            }
        }
    }
    let audited = AUDITED.iter().map(|(id, _)| *id);
    let exempt = EXEMPT.iter().map(|(id, _)| *id);
    let known: Vec<&str> = audited.chain(BY_KIND).chain(exempt).collect();
    let listed: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(listed.len(), known.len(), "an operation is listed twice");
    assert_eq!(operations, listed);
}
