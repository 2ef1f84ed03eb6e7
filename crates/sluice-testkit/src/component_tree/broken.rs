//! Invalid components, with flaws that occur in practice.

/// The flaw of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    Syntax,
    MissingFile,
    MissingName,
    NoVersion,
    NoKey,
    BadKey,
    KeyTakenAlready,
    ThrowsAtLoad,
    LoopsAtLoad,
    BadPropType,
}

impl Flaw {
    pub const ALL: [Flaw; 10] = [
        Flaw::Syntax,
        Flaw::MissingFile,
        Flaw::MissingName,
        Flaw::NoVersion,
        Flaw::NoKey,
        Flaw::BadKey,
        Flaw::KeyTakenAlready,
        Flaw::ThrowsAtLoad,
        Flaw::LoopsAtLoad,
        Flaw::BadPropType,
    ];

    pub(super) fn text(self) -> String {
        let with = |old: &str, new: &str| SOUND.replace(old, new);
        match self {
            Flaw::Syntax => with("type: \"action\",", "type \"action\","),
            Flaw::MissingFile => with("common/utils.mjs", "common/gone.mjs"),
            Flaw::MissingName => with("import { parse }", "import { nothing as parse }"),
            Flaw::NoVersion => with("  version: \"$VERSION\",\n", ""),
            Flaw::NoKey => with("  key: \"$KEY\",\n", ""),
            // The code is valid, but the key is not.
            Flaw::BadKey | Flaw::KeyTakenAlready => SOUND.to_owned(),
            Flaw::ThrowsAtLoad => with(
                "export default",
                "const first = [].find(() => true).id;\n\nexport default",
            ),
            Flaw::LoopsAtLoad => with("export default", "while (app) {}\n\nexport default"),
            Flaw::BadPropType => with("type: \"object\"", "type: \"objekt\""),
        }
    }
}

/// An endless sequence of flaws, with few that take seconds to import.
pub(super) fn in_turn(most_loops: usize) -> impl Iterator<Item = Flaw> {
    let mut loops = 0;
    Flaw::ALL.into_iter().cycle().filter(move |flaw| {
        loops += usize::from(*flaw == Flaw::LoopsAtLoad);
        *flaw != Flaw::LoopsAtLoad || loops <= most_loops
    })
}

const SOUND: &str = r#"
import app from "../../$APP.app.mjs";
import { parse } from "../../common/utils.mjs";

export default {
  key: "$KEY",
  name: "Some $NAME",
  description: "Does something",
  version: "$VERSION",
  type: "action",
  props: { app, extra: { type: "object", label: "More", description: "Further fields" } },
  async run({ $ }) { return this.app.operation7({ $, data: parse(this.extra) }); },
};
"#;
