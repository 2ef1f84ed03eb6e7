//! A person at a terminal who answers the prompts of a form.

use serde_json::Value;
use sluice_testkit::{Key, Terminal};

/// Longer lists are not walked through.
const MAX_STEPS: usize = 60;

pub(super) struct Person {
    terminal: Terminal,
}

impl Person {
    pub(super) fn at(terminal: Terminal) -> Person {
        Person { terminal }
    }

    /// Waits until the command has ended without an error.
    pub(super) async fn ends(&mut self) {
        let code = self.terminal.exit_code().await;
        assert_eq!(code, 0, "{}", self.terminal.screen());
    }

    /// Presses Enter at every prompt of an update.
    pub(super) async fn accepts_everything(mut self) {
        let mut last = None;
        loop {
            let goes_on = |screen: &str| {
                let next = prompt(screen);
                is_updated(screen) || next.is_some() && next != last.as_deref()
            };
            self.terminal.wait_for("the next prompt", goes_on).await;
            let screen = self.terminal.screen();
            if is_updated(&screen) {
                return self.ends().await;
            }
            self.terminal.press(Key::Enter);
            last = prompt(&screen).map(str::to_owned);
        }
    }

    pub(super) async fn answer(&mut self, step: &Value) {
        let text = |key: &str| step[key].as_str();
        if let Some(alert) = text("alert") {
            let mark = match text("kind") {
                Some("warning" | "error") => "! ",
                _ => "",
            };
            return self.terminal.wait_for_text(&format!("{mark}{alert}")).await;
        }
        if let Some(absent) = text("absent") {
            return self.is_absent(absent).await;
        }
        let prop = text("prop").expect("the label of a prop");
        if let Some(account) = text("account") {
            return self.give_account(account, step).await;
        }
        if let Some(error) = text("fails") {
            self.terminal.wait_for_text(error).await;
            return self.enter(prop, text("own").expect("a value")).await;
        }
        if let Some(wrong) = text("wrong") {
            self.enter_wrong(prop, wrong, text("error").expect("an error"))
                .await;
        }
        for key in ["type", "secret", "every", "cron", "sql"] {
            if let Some(answer) = text(key) {
                return self.enter(prop, answer).await;
            }
        }
        if let Some(answer) = step["answer"].as_bool() {
            self.enter(prop, if answer { "y" } else { "n" }).await;
        } else if let Some(option) = text("pick") {
            self.pick(prop, option).await;
        } else if let Some(option) = text("choose") {
            self.load_options(prop, step, &[]).await;
            self.filter_and_pick(prop, option).await;
        } else if let Some(own) = text("own") {
            self.pick(prop, "Type a value…").await;
            self.answered(prop, "Type a value…", 1).await;
            self.enter(prop, own).await;
        } else if step["chooses"].is_array() {
            self.choose_several(prop, step).await;
        } else if step["picks"].is_array() {
            self.pick_several(prop, &texts(&step["picks"])).await;
        } else if step["lines"].is_array() {
            self.enter_lines(prop, &texts(&step["lines"])).await;
        } else if let Some(pairs) = step["pairs"].as_object() {
            self.enter_lines(prop, &joined(pairs, "=")).await;
        } else if let Some(json) = text("json") {
            self.enter_lines(prop, &[json.to_owned()]).await;
        } else if step["request"].is_object() {
            self.describe_request(prop, &step["request"]).await;
        } else if let Some(default) = text("keep") {
            self.keep(prop, default).await;
        } else if step["skip"] == true {
            self.skip(prop).await;
        } else {
            panic!("no answer in {step}");
        }
    }

    /// Waits until the prompt of a prop is there.
    async fn asked(&self, label: &str) {
        let is_asked = |screen: &str| prompt(screen).is_some_and(|asked| is_for(asked, label));
        self.terminal
            .wait_for(&format!("the prompt {label:?}"), is_asked)
            .await;
    }

    async fn enter(&mut self, label: &str, answer: &str) {
        self.asked(label).await;
        self.terminal.type_line(answer);
    }

    async fn enter_wrong(&mut self, label: &str, wrong: &str, error: &str) {
        self.enter(label, wrong).await;
        self.terminal.wait_for_text(error).await;
        for _ in wrong.chars() {
            self.terminal.press(Key::Backspace);
        }
        let is_empty = |screen: &str| prompt(screen).is_some_and(|asked| asked == label);
        self.terminal.wait_for("an empty prompt", is_empty).await;
    }

    /// An empty line ends the list.
    async fn enter_lines(&mut self, label: &str, lines: &[String]) {
        let end = String::new();
        for (index, line) in lines.iter().chain([&end]).enumerate() {
            self.enter(&format!("{label} [{}]", index + 1), line).await;
        }
    }

    /// Moves to a row of the list with the arrow key.
    async fn reach(&mut self, is_wanted: impl Fn(&str) -> bool) {
        self.terminal
            .wait_for("a list", |screen| highlighted(screen).is_some())
            .await;
        for _ in 0..MAX_STEPS {
            let screen = self.terminal.screen();
            let row = highlighted(&screen).unwrap_or_default();
            if is_wanted(row) {
                return;
            }
            self.terminal.press(Key::Down);
            let has_moved = |screen: &str| highlighted(screen) != Some(row);
            self.terminal.wait_for("the next row", has_moved).await;
        }
        panic!("the row is not in the list:\n{}", self.terminal.screen());
    }

    async fn pick(&mut self, label: &str, option: &str) {
        self.asked(label).await;
        self.reach(|row| row == option).await;
        self.terminal.press(Key::Enter);
    }

    /// Types the option, so that the list shows only matching rows.
    async fn filter_and_pick(&mut self, label: &str, option: &str) {
        self.asked(label).await;
        self.terminal.type_text(option);
        let is_typed = |screen: &str| {
            let typed = format!("{label} {option}");
            prompt(screen).is_some_and(|asked| asked == typed) && highlighted(screen).is_some()
        };
        self.terminal.wait_for("matching rows", is_typed).await;
        self.reach(|row| row == option).await;
        self.terminal.press(Key::Enter);
    }

    async fn mark(&mut self, option: &str) {
        self.reach(|row| row == option).await;
        self.terminal.press(Key::Space);
        let marked = format!("[x] {option}");
        self.terminal.wait_for_text(&marked).await;
    }

    async fn pick_several(&mut self, label: &str, options: &[String]) {
        self.asked(label).await;
        for option in options {
            self.mark(option).await;
        }
        self.terminal.press(Key::Enter);
    }

    async fn choose_several(&mut self, label: &str, step: &Value) {
        let options = texts(&step["chooses"]);
        self.load_options(label, step, &[Key::Space]).await;
        self.asked(label).await;
        for option in &options {
            self.mark(option).await;
        }
        let owns = texts(&step["owns"]);
        if !owns.is_empty() {
            self.mark("Type a value…").await;
        }
        self.terminal.press(Key::Enter);
        if !owns.is_empty() {
            self.enter_lines(label, &owns).await;
        }
    }

    /// Loads further pages, or searches. `mark` are the keys that mark a row of a list with several answers.
    async fn load_options(&mut self, label: &str, step: &Value, mark: &[Key]) {
        for page in 0..step["pages"].as_u64().unwrap_or_default() {
            self.ask_for(label, "More…", mark).await;
            let count = usize::try_from(page).expect("a small number") + 1;
            self.answered(label, "More…", count).await;
        }
        if let Some(search) = step["search"].as_str() {
            self.ask_for(label, "Search…", mark).await;
            self.enter(&format!("Search {label}"), search).await;
            self.answered(&format!("Search {label}"), search, 1).await;
        }
    }

    async fn ask_for(&mut self, label: &str, row: &str, mark: &[Key]) {
        self.asked(label).await;
        self.reach(|reached| reached == row).await;
        for key in mark {
            self.terminal.press(*key);
        }
        self.terminal.press(Key::Enter);
    }

    /// Waits until a prompt has been answered so many times with this answer.
    async fn answered(&self, label: &str, answer: &str, count: usize) {
        let line = format!("> {label} {answer}");
        let is_answered =
            |screen: &str| screen.lines().filter(|row| row.trim_end() == line).count() >= count;
        self.terminal.wait_for(&line, is_answered).await;
    }

    async fn give_account(&mut self, app: &str, step: &Value) {
        if let Some(name) = step["pick"].as_str() {
            self.asked(&format!("Account of {app}")).await;
            let start = format!("{name} (");
            self.reach(|row| row.starts_with(&start)).await;
            return self.terminal.press(Key::Enter);
        }
        self.terminal
            .wait_for_text(&format!("New account of {app}"))
            .await;
        let fields = step["connect"].as_object().expect("fields");
        for (label, value) in fields.iter().filter(|(label, _)| *label != "name") {
            self.enter(label, value.as_str().expect("text")).await;
        }
        let name = fields["name"].as_str().expect("a name");
        self.enter("Name of the account", name).await;
    }

    async fn describe_request(&mut self, label: &str, request: &Value) {
        let part = |name: &str| format!("{label}: {name}");
        let text = |name: &str| request[name].as_str().expect("text");
        self.enter(&part("URL"), text("url")).await;
        self.pick(&part("method"), text("method")).await;
        let headers = request["headers"].as_object().expect("headers");
        self.enter_lines(&part("headers"), &joined(headers, ": "))
            .await;
        self.enter(&part("body"), text("body")).await;
    }

    /// The default is in brackets, or it is the highlighted row.
    async fn keep(&mut self, label: &str, default: &str) {
        let offered = format!("{label} ({default})");
        let is_offered = |screen: &str| {
            prompt(screen).is_some_and(|asked| {
                asked.starts_with(&offered)
                    || is_for(asked, label) && highlighted(screen) == Some(default)
            })
        };
        self.terminal.wait_for(&offered, is_offered).await;
        self.terminal.press(Key::Enter);
    }

    async fn skip(&mut self, label: &str) {
        let is_asked = |screen: &str| {
            let help = screen.lines().last().unwrap_or_default();
            prompt(screen).is_some_and(|asked| is_for(asked, label)) && help.ends_with("optional]")
        };
        self.terminal.wait_for(label, is_asked).await;
        if highlighted(&self.terminal.screen()).is_some() {
            self.reach(|row| row == "(leave empty)").await;
        }
        self.terminal.press(Key::Enter);
    }

    async fn is_absent(&self, text: &str) {
        self.terminal
            .wait_for("a prompt", |screen| prompt(screen).is_some())
            .await;
        let screen = self.terminal.screen();
        assert!(!screen.contains(text), "{screen}");
    }
}

/// The prompt that waits for an answer, with the typed text.
fn prompt(screen: &str) -> Option<&str> {
    let line = screen.lines().rfind(|line| line.starts_with("? "))?;
    line.strip_prefix("? ").map(str::trim_end)
}

fn is_updated(screen: &str) -> bool {
    screen.lines().any(|line| line.starts_with("Updated "))
}

fn is_for(prompt: &str, label: &str) -> bool {
    let rest = prompt.strip_prefix(label);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The row below the prompt that Enter selects, without its check box.
fn highlighted(screen: &str) -> Option<&str> {
    let mut below = screen
        .lines()
        .rev()
        .take_while(|line| !line.starts_with("? "));
    let row = below.find_map(|line| line.strip_prefix("> "))?;
    let text = ["[ ] ", "[x] "]
        .iter()
        .find_map(|check_box| row.strip_prefix(check_box));
    Some(text.unwrap_or(row).trim_end())
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    let text = |item: &Value| item.as_str().expect("text").to_owned();
    items.map(text).collect()
}

fn joined(pairs: &serde_json::Map<String, Value>, by: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| format!("{name}{by}{}", text(value)))
        .collect()
}
