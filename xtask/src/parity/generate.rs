//! Generates random commands. Every command occurs with all its flags, with arguments in the usual order and in another
//! order, and with correct and wrong arguments.
//!
//! At most twelve keys exist at a time. If several keys have equal values in the field by which a response is sorted,
//! etcd guarantees no order among them. Go's sort keeps the order of at most twelve equal elements; with more elements,
//! the comparison would depend on chance. No value contains a line that begins with `# exit`, because such a line
//! separates the outputs of the native shell.

use super::chance::Chance;
use super::{Answer, Case};

/// A generator of commands. The same seed and the same outputs lead to the same commands.
pub(super) struct Generator {
    chance: Chance,
    /// The store's newest revision, as far as the outputs contained it. The next field is the compacted revision.
    revision: u64,
    compacted: u64,
    puts: u64,
    /// The IDs of recently granted leases.
    leases: Vec<u64>,
    has_etcdutl: bool,
    /// Whether the lines of transactions are valid. etcdctl logs in before it reads them, and the simulator afterwards.
    is_careful: bool,
}

const KEYS: [&[u8]; 12] = [
    b"a",
    b"aa",
    b"ab",
    b"b",
    b"b b",
    b"/k/1",
    b"/k/2",
    b"/k/3",
    b"it's",
    "\u{e9}\u{1f600}".as_bytes(),
    b"z\xff",
    b"\x01\n\"\\",
];

/// The size of a put that exceeds the quota even of an almost empty store, in bytes. The operating system's limit for
/// an argument is 128 KiB.
pub(super) const BIG_PUT_BYTES: usize = 115_000;

/// The number of leases that the generator reuses.
const LEASES_MAX: usize = 6;

const FORMATS: [&str; 5] = ["simple", "json", "fields", "table", "protobuf"];

/// Commands and prefixes of commands that etcdctl refuses, and a few commands that it accepts.
const ODD: &[&[&str]] = &[
    &[],
    &[""],
    &["", "get"],
    &["bogus"],
    &["gett", "a"],
    &["putt"],
    &["e"],
    &["c", "3"],
    &["delete", "a"],
    &["GET", "a"],
    &["--bogus"],
    &["--hex"],
    &["--hex=maybe", "get", "a"],
    &["--prefix", "get", "a"],
    &["--", "get", "a"],
    &["-w"],
    &["--write-out", "json"],
    &["get", "--help"],
    &["get", "-h", "a"],
    &["get", "--help=false", "a"],
    &["--help", "get"],
    &["help"],
    &["help", "put"],
    &["help", "bogus"],
    &["help", "endpoint", "status"],
    &["endpoint"],
    &["endpoint", "bogus"],
    &["endpoint", "h"],
    &["endpoint", "--bogus", "status"],
    &["endpoint", "status", "--help"],
    &["endpoint", "hashkv", "-h"],
    &["endpoint", "hashkv", "--rev=abc"],
    &["lease"],
    &["lease", "bogus"],
    &["lease", "--bogus"],
    &["lease", "--help"],
    &["lease", "grant", "-5"],
    &["lease", "grant", "--help"],
    &["lease", "revoke", "--help"],
    &["lease", "timetolive", "--help"],
    &["lease", "list", "--help"],
    &["lease", "keep-alive", "--help"],
    &["help", "lease"],
    &["help", "lease", "grant"],
    &["alarm", "--help"],
    &["alarm", "disarm", "--help"],
    &["auth"],
    &["auth", "enable", "--help"],
    &["auth", "status", "--help"],
    &["check", "--bogus"],
    &["defrag", "--help"],
    &["downgrade"],
    &["downgrade", "validate"],
    &["elect", "--help"],
    &["lock", "--help"],
    &["make-mirror"],
    &["make-mirror", "--help"],
    &["member"],
    &["member", "add"],
    &["member", "add", "--help"],
    &["member", "list", "--help"],
    &["member", "promote", "--help"],
    &["member", "update", "--help"],
    &["move-leader"],
    &["move-leader", "--help"],
    &["role"],
    &["role", "grant-permission", "--help"],
    &["role", "revoke-permission", "--help"],
    &["role", "get"],
    &["snapshot", "save", "--help"],
    &["user"],
    &["user", "add", "--help"],
    &["user", "get", "--help"],
    &["user", "passwd", "--help"],
    &["watch", "--help"],
    &["version"],
    &["version", "x", "-w", "bogus"],
    &["version", "--bogus"],
    &["ver"],
    &["txn", "a"],
    &["txn", "-w", "bogus"],
    &["txn", "a", "-w", "bogus"],
    &["txn", "-x"],
    &["txn", "--help"],
    &["put", "--help"],
    &["del", "--help"],
    &["compaction", "--help"],
    &["get", "a", "--command-timeout=5"],
    &["get", "a", "--command-timeout", "abc"],
    &["get", "a", "--command-timeout=10s", "--dial-timeout", "1s"],
    &["get", "a", "--cert", ""],
    &["get", "---x"],
    &["get", "--=x"],
    &["get", "a", "-wh"],
    &["get", "a", "-w", ""],
    &["get", "-", "a"],
    &["get", "--rev"],
    &["get", "--rev", "--prefix", "a"],
    &["put", "a", "-b"],
    &["put", "a", "--"],
    &["compact", "-1"],
    &["compact"],
    &["compact", "1", "2"],
    &["compact", "0x7"],
    &["compact", ""],
    &["compact", "99999999999999999999"],
    &["compact", "--", "-1"],
    &["compact", "3", "--physical=x"],
];

/// Wrong commands for snapshots. The commands from the fifth on need etcdutl.
const SNAPSHOTS: [&str; 5] = [
    "snapshot",
    "snapshot save",
    "snapshot save a b",
    "snapshot status",
    "etcdutl snapshot status",
];

const USERS: [&str; 5] = ["root", "root", "alice", "bob", "carol"];

const ROLES: [&str; 4] = ["root", "readers", "writers", "all"];

impl Generator {
    pub(super) fn new(seed: u64, has_etcdutl: bool) -> Self {
        Self {
            chance: Chance(seed ^ 0x5741_5443_4847_4c53),
            revision: 1,
            compacted: 0,
            puts: 0,
            leases: Vec::new(),
            has_etcdutl,
            is_careful: false,
        }
    }

    pub(super) fn learn_lease(&mut self, id: u64) {
        if self.leases.len() == LEASES_MAX {
            self.leases.remove(0);
        }
        self.leases.push(id);
    }

    pub(super) fn learn(&mut self, answer: &Answer) {
        let text = String::from_utf8_lossy(&answer.stdout);
        for name in ["\"revision\":", "\"Revision\" : "] {
            if let Some(number) = text.split(name).nth(1).and_then(leading_number) {
                self.revision = self.revision.max(number);
            }
        }
        if let Some(number) = text
            .strip_prefix("compacted revision ")
            .and_then(leading_number)
        {
            self.compacted = number;
        }
    }

    /// Generates a command. If `with_leases` is true, generates lease commands, too, but no `endpoint hashkv`.
    pub(super) fn next_case(&mut self, with_leases: bool) -> Case {
        let mut case = match self.below(if with_leases { 146 } else { 112 }) {
            0..30 => self.put(),
            30..60 => self.get(),
            60..72 => self.del(),
            72..84 => self.txn(),
            84..89 => self.compact(),
            89..95 => self.endpoint(with_leases),
            95..100 => self.odd(),
            100..106 => self.maintenance(),
            106..109 => self.member(),
            109..112 => return self.snapshot(),
            112..142 => self.lease(),
            _ => self.lock(),
        };
        // A global flag may also come before the command.
        if self.one_in(40) && case.args.len() > 1 {
            case.args.splice(0..0, [b"-w".to_vec(), b"json".to_vec()]);
        }
        case
    }

    /// Generates a command for a store with a quota: a put that exceeds the quota, or a command that clears the alarm.
    pub(super) fn next_quota_case(&mut self) -> Case {
        match self.below(100) {
            0..25 => self.put(),
            25..35 => {
                let key = self.key();
                let value = vec![b'v'; BIG_PUT_BYTES];
                self.assemble("put", vec![key, value], Vec::new())
            }
            35..45 => self.txn(),
            45..53 => self.lease(),
            53..60 => self.del(),
            60..66 => self.get(),
            66..70 => self.compact(),
            70..76 => self.endpoint(true),
            _ => self.maintenance(),
        }
    }

    /// Generates an `alarm` or `defrag` command.
    fn maintenance(&mut self) -> Case {
        let (verb, sub) = match self.below(12) {
            0..4 => ("alarm", "list"),
            4..8 => ("alarm", "disarm"),
            8 => ("al", "l"),
            9 => ("alarm", "bogus"),
            _ => ("defrag", ""),
        };
        let mut positional = Vec::new();
        if self.one_in(20) {
            positional.push(b"extra".to_vec());
        }
        if sub.is_empty() {
            return self.assemble(verb, positional, Vec::new());
        }
        let mut case = self.assemble(sub, positional, Vec::new());
        case.args.insert(0, verb.as_bytes().to_vec());
        case
    }

    /// Generates a `member` command that does not change the members, or a `move-leader` command.
    fn member(&mut self) -> Case {
        let id = self.pick(&["8e9e05c52164694d", "1234", "zz", ""]);
        let url = self.pick(&[
            "",
            "--peer-urls=",
            "--peer-urls=127.0.0.1",
            "--peer-urls=http://127.0.0.1",
        ]);
        let (verb, words): (_, &[&str]) = match self.below(12) {
            0..5 => ("member list", &[]),
            5 => ("member list", &["--consistency=s"]),
            6 => ("member remove", &[if id.len() == 16 { "7" } else { id }]),
            7 => ("member promote", &[id]),
            8 => ("member add", &["m2", url]),
            9 => ("member update", &[id, url]),
            _ => ("move-leader", &[id]),
        };
        let (flags, positional): (Vec<_>, Vec<_>) = words
            .iter()
            .filter(|word| !word.is_empty())
            .map(|word| word.as_bytes().to_vec())
            .partition(|word| word.starts_with(b"--"));
        self.of_group(verb, positional, flags)
    }

    /// Generates a command with a group, such as `member list`.
    fn of_group(&mut self, verb: &str, positional: Vec<Vec<u8>>, flags: Vec<Vec<u8>>) -> Case {
        let (group, verb) = verb.rsplit_once(' ').unwrap_or(("", verb));
        let mut case = self.assemble(verb, positional, flags);
        let group = group.split(' ').filter(|word| !word.is_empty());
        case.args
            .splice(0..0, group.map(|word| word.as_bytes().to_vec()));
        case
    }

    /// Generates a command that saves or reads a snapshot.
    fn snapshot(&mut self) -> Case {
        let file = self.pick(&["s1.db", "s1.db", "s1.db", "none.db"]);
        let tool = match self.has_etcdutl && !self.one_in(4) {
            true => "etcdutl snapshot status",
            false => "snapshot status",
        };
        let line = match self.below(8) {
            0..3 => "snapshot save s1.db".to_owned(),
            3..7 => {
                let format = self.pick(&["", " -w json", " -w fields", " -w table", " -w simple"]);
                format!("{tool} {file}{format}")
            }
            _ => self
                .pick(&SNAPSHOTS[..if self.has_etcdutl { SNAPSHOTS.len() } else { 4 }])
                .to_owned(),
        };
        Case {
            args: words(&line.split(' ').collect::<Vec<_>>()),
            stdin: Vec::new(),
        }
    }

    /// Generates a `lock` whose command ends at once, or a wrong `lock` or `elect`. The lease of a lock outlives the
    /// comparison.
    fn lock(&mut self) -> Case {
        let line = self.pick(&[
            "lock --ttl=20000 l echo held",
            "lock l --ttl=30000 -- echo a b",
            "lock --ttl=20000 l -w json echo held",
            "lock",
            "lock --ttl=x l echo held",
            "elect",
            "elect a b c",
            "elect -l",
            "elect -l a b",
        ]);
        Case {
            args: words(&line.split(' ').collect::<Vec<_>>()),
            stdin: Vec::new(),
        }
    }

    /// A change to users and roles, or a request of a user. The user root keeps its password.
    pub(super) fn next_auth_case(&mut self) -> Case {
        self.is_careful = true;
        let user = self.pick(&USERS);
        let role = self.pick(&ROLES);
        let mut flags = Vec::new();
        let mut stdin = Vec::new();
        let (verb, mut words) = match self.below(60) {
            0..3 => ("user add", vec![format!("{user}:{user}")]),
            3 => {
                flags.push(
                    self.pick(&["--new-user-password=pw", "--no-password"])
                        .as_bytes()
                        .to_vec(),
                );
                ("user add", vec![user.to_owned()])
            }
            4 => {
                flags.push(b"--interactive=false".to_vec());
                stdin.push(user.to_owned());
                (
                    self.pick(&["user add", "user passwd"]),
                    vec![user.to_owned()],
                )
            }
            5 => ("user delete", vec![user.to_owned()]),
            6..8 => {
                if self.one_in(2) {
                    flags.push(self.bool_flag("detail"));
                }
                ("user get", vec![user.to_owned()])
            }
            8 => ("user list", Vec::new()),
            9..13 => ("user grant-role", vec![user.to_owned(), role.to_owned()]),
            13 => ("user revoke-role", vec![user.to_owned(), role.to_owned()]),
            14..16 => ("role add", vec![role.to_owned()]),
            16..18 => ("role get", vec![role.to_owned()]),
            18 => (
                self.pick(&["role list", "role delete"]),
                vec![role.to_owned()],
            ),
            19..25 => {
                let kind = self.pick(&["read", "write", "readwrite", "READWRITE", "all"]);
                let range = self.range(&mut flags);
                let range = range
                    .iter()
                    .map(|key| String::from_utf8_lossy(key).into_owned());
                let words = [role.to_owned(), kind.to_owned()].into_iter().chain(range);
                ("role grant-permission", words.collect())
            }
            25 => {
                let range = self.range(&mut flags);
                let range = range
                    .iter()
                    .map(|key| String::from_utf8_lossy(key).into_owned());
                (
                    "role revoke-permission",
                    [role.to_owned()].into_iter().chain(range).collect(),
                )
            }
            26..30 => (
                self.pick(&["auth enable", "auth enable", "auth disable", "auth status"]),
                Vec::new(),
            ),
            _ => ("", Vec::new()),
        };
        if self.one_in(20) {
            words.truncate(1);
        }
        let mut case = match verb {
            "" => match self.below(20) {
                0..5 => self.put(),
                5..10 => self.get(),
                10..12 => self.del(),
                12..16 => self.txn(),
                16 => self.compact(),
                17 => self.endpoint(false),
                18 => self.maintenance(),
                _ => self.member(),
            },
            verb => {
                let positional = words.into_iter().map(String::into_bytes).collect();
                self.of_group(verb, positional, flags)
            }
        };
        if !stdin.is_empty() {
            case.stdin = stdin;
        }
        let name = match self.below(12) {
            0..5 => "root:root".to_owned(),
            5..9 => format!("{user}:{user}"),
            9 => format!("{user}:wrong"),
            _ => return case,
        };
        case.args.insert(0, format!("--user={name}").into_bytes());
        case
    }

    /// Generates a transaction whose input ends too early. Only the last command of a run can be such a transaction.
    pub(super) fn cut_short(&mut self) -> Case {
        Case {
            args: words(&["txn", "-i"]),
            stdin: vec!["version(\"a\") > \"0\"".to_owned(), String::new()],
        }
    }

    fn odd(&mut self) -> Case {
        let args = ODD[self.below(ODD.len() as u64) as usize];
        Case {
            args: words(args),
            stdin: Vec::new(),
        }
    }

    fn put(&mut self) -> Case {
        let verb = self.pick(&["put", "put", "put", "pu", "p"]);
        let mut positional = vec![self.key()];
        let mut flags = Vec::new();
        let ignore_value = self.one_in(12);
        if ignore_value {
            flags.push(b"--ignore-value".to_vec());
        }
        if !ignore_value && !self.one_in(30) || ignore_value && self.one_in(4) {
            positional.push(self.value());
        }
        if self.one_in(25) {
            positional.push(self.key());
        }
        if self.one_in(5) {
            flags.push(self.bool_flag("prev-kv"));
        }
        if self.one_in(14) {
            flags.push(self.bool_flag("ignore-lease"));
        }
        if self.one_in(14) {
            let lease = self.pick(&["0", "1", "7b", "zz", "-5", "+0", "", "10000000000000000"]);
            flags.push(format!("--lease={lease}").into_bytes());
        } else if !self.leases.is_empty() && self.one_in(3) {
            let lease = [b"--lease=", self.lease_id().as_slice()].concat();
            flags.push(lease);
        }
        self.assemble(verb, positional, flags)
    }

    fn get(&mut self) -> Case {
        let verb = self.pick(&["get", "get", "get", "ge", "g"]);
        let mut flags = Vec::new();
        let mut positional = self.range(&mut flags);
        if self.one_in(60) {
            positional.push(b"extra".to_vec());
        }
        if self.one_in(60) {
            positional.clear();
        }
        if self.one_in(3) {
            let revision = self.revision_near();
            self.value_flag(&mut flags, "rev", &revision);
        }
        if self.one_in(4) {
            let limit = self.pick(&[
                "0", "1", "2", "3", "5", "12", "100", "-1", "0x2", "010", "1_0", "abc", "",
            ]);
            self.value_flag(&mut flags, "limit", limit);
        }
        if self.one_in(3) {
            let order = self.pick(&[
                "ASCEND", "DESCEND", "descend", "Ascend", "DESCEND", "", "up",
            ]);
            self.value_flag(&mut flags, "order", order);
        }
        if self.one_in(3) {
            let target = self.pick(&[
                "CREATE", "KEY", "MODIFY", "VALUE", "VERSION", "version", "modify", "", "size",
            ]);
            self.value_flag(&mut flags, "sort-by", target);
        }
        if self.one_in(8) {
            let consistency = self.pick(&["l", "s", "s", "x", ""]);
            self.value_flag(&mut flags, "consistency", consistency);
        }
        if self.one_in(6) {
            flags.push(self.bool_flag("keys-only"));
        }
        if self.one_in(8) {
            flags.push(self.bool_flag("print-value-only"));
        }
        if self.one_in(20) {
            flags.push(self.bool_flag("count-only"));
        }
        // Versions before 3.6 have no such flags and print a page.
        while self.one_in(12) {
            let name = self.pick(&[
                "min-mod-rev",
                "max-mod-rev",
                "min-create-rev",
                "max-create-rev",
            ]);
            let revision = self.revision_near();
            self.value_flag(&mut flags, name, &revision);
        }
        self.assemble(verb, positional, flags)
    }

    fn del(&mut self) -> Case {
        let verb = self.pick(&["del", "del", "del", "de"]);
        let mut flags = Vec::new();
        let mut positional = self.range(&mut flags);
        if self.one_in(30) {
            positional.push(b"extra".to_vec());
        }
        if self.one_in(40) {
            positional.clear();
        }
        if self.one_in(3) {
            flags.push(self.bool_flag("prev-kv"));
        }
        self.assemble(verb, positional, flags)
    }

    fn compact(&mut self) -> Case {
        let verb = self.pick(&["compact", "compaction", "compac"]);
        let revision = match self.below(8) {
            0 => self.compacted,
            1 => self.compacted.saturating_sub(1),
            2 => self.revision + 1 + self.below(5),
            3 => self.revision,
            _ => {
                self.compacted
                    + 1
                    + self.below(1 + self.revision.saturating_sub(self.compacted + 1) / 2)
            }
        };
        let text = match self.below(12) {
            0 => format!("+{revision}"),
            1 => format!("0{revision}"),
            2 => "abc".to_owned(),
            _ => revision.to_string(),
        };
        let mut flags = Vec::new();
        if self.one_in(3) {
            flags.push(self.bool_flag("physical"));
        }
        self.assemble(verb, vec![text.into_bytes()], flags)
    }

    fn lease(&mut self) -> Case {
        let mut flags = Vec::new();
        let mut positional = Vec::new();
        let sub = match self.below(12) {
            0..4 => {
                // The TTLs are long enough to outlive the comparison, and different enough to be listed in one order.
                let ttl = self.pick(&[
                    "10000",
                    "20000",
                    "30000",
                    "+40000",
                    "9000000000",
                    "9000000001",
                    "abc",
                    "0x5",
                    "",
                    "99999999999999999999",
                ]);
                positional.push(ttl.as_bytes().to_vec());
                "grant"
            }
            4..6 => {
                positional.push(self.lease_id());
                self.pick(&["revoke", "revoke", "r"])
            }
            6..9 => {
                positional.push(self.lease_id());
                if self.one_in(2) {
                    flags.push(self.bool_flag("keys"));
                }
                self.pick(&["timetolive", "timetolive", "t"])
            }
            9 => self.pick(&["list", "list", "l"]),
            10 => {
                positional.push(self.lease_id());
                flags.push(b"--once".to_vec());
                self.pick(&["keep-alive", "keep-alive", "k"])
            }
            // For a lease that exists, the command would never end.
            _ => {
                positional.push(self.pick(&["0", "1234", "zz", "-1"]).as_bytes().to_vec());
                "keep-alive"
            }
        };
        if self.one_in(30) {
            positional.push(b"extra".to_vec());
        }
        if self.one_in(30) {
            positional.clear();
        }
        let mut case = self.assemble(sub, positional, flags);
        let verb = self.pick(&["lease", "lease", "le"]);
        case.args.insert(0, verb.as_bytes().to_vec());
        case
    }

    /// Returns the ID of a lease that exists or has existed, or an invalid ID.
    fn lease_id(&mut self) -> Vec<u8> {
        if self.leases.is_empty() || self.one_in(5) {
            let wrong = [
                "0",
                "1234",
                "zz",
                "",
                "-1",
                "+5",
                "0x5",
                "7fffffffffffffff",
                "8000000000000000",
            ];
            return self.pick(&wrong).as_bytes().to_vec();
        }
        let place = self.below(self.leases.len() as u64) as usize;
        let id = self.leases[place];
        format!("{id:016x}").into_bytes()
    }

    fn endpoint(&mut self, with_leases: bool) -> Case {
        let verb = self.pick(&["endpoint", "endpoint", "end"]);
        let mut flags = Vec::new();
        let sub = match self.below(6) {
            0..3 if !with_leases => {
                if self.one_in(2) {
                    let revision = self.revision_near();
                    self.value_flag(&mut flags, "rev", &revision);
                }
                "hashkv"
            }
            0..5 => self.pick(&["status", "status", "s"]),
            _ => "health",
        };
        let mut case = self.assemble(sub, Vec::new(), flags);
        case.args.insert(0, verb.as_bytes().to_vec());
        case
    }

    fn txn(&mut self) -> Case {
        let mut flags = Vec::new();
        if self.one_in(10) {
            flags.push(self.pick(&["-i", "--interactive"]).as_bytes().to_vec());
        }
        let case = self.assemble("txn", Vec::new(), flags);
        // If etcdctl refuses a format or flag, it ends before it reads a line.
        let refused = case.args.iter().any(|word| {
            let word = String::from_utf8_lossy(word);
            word.contains("bogus")
                || word.contains("=maybe")
                || word == "-x"
                || word == "--nothing=1"
        });
        if refused {
            return case;
        }
        let mut stdin = Vec::new();
        for _ in 0..self.pick(&[0, 0, 1, 1, 2, 3]) {
            stdin.push(self.compare());
        }
        stdin.push(String::new());
        for _ in 0..2 {
            for _ in 0..self.pick(&[0, 1, 1, 2, 2, 3, 4]) {
                stdin.push(self.operation());
            }
            stdin.push(self.pick(&["", "", "  "]).to_owned());
        }
        // etcd does not notice that a delete of all keys from a key on overlaps with a put, and ends with a panic if
        // the put needs the value of the deleted key.
        if stdin
            .iter()
            .any(|line| line.starts_with("del") && line.contains(" --"))
        {
            stdin.retain(|line| !line.contains("--ignore-"));
        }
        Case {
            args: case.args,
            stdin,
        }
    }

    fn compare(&mut self) -> String {
        if self.one_in(25) && !self.is_careful {
            let wrong = [
                "garbage",
                "mod(a) = 0",
                "mod(\"a\") = 0",
                "mod(\"a\") == \"0\"",
                "mod(\"a\")=\"0\"",
                "size(\"a\") = \"0\"",
                "mod(\"a\") = \"x\"",
                "lease(\"a\") = \"0\"",
                "value(\"a\\q\") = \"x\"",
                "value(\"\") = \"x\"",
            ];
            return self.pick(&wrong).to_owned();
        }
        let key = self.go_quoted_key();
        let operator = self.pick(&["=", "!=", ">", "<"]);
        let target = self.pick(&["ver", "version", "c", "create", "m", "mod", "val", "value"]);
        let operand = match target {
            "ver" | "version" => self.below(4).to_string(),
            "val" | "value" => {
                let last = self.puts;
                format!("v{}", self.below(last + 1))
            }
            _ => self.revision_near(),
        };
        let rest = self.pick(&["", "", "", " rest"]);
        format!("{target}({key}) {operator} \"{operand}\"{rest}")
    }

    fn operation(&mut self) -> String {
        if self.one_in(30) && !self.is_careful {
            let wrong = [
                "get",
                "watch a",
                "put a",
                "get a --bogus",
                "get a -w json",
                "put a -b",
                "del a b c",
                "get a --order=up",
                "get a --prefix --from-key",
                "get a --limit=abc",
                "put \"\\q\" x",
                "'x'",
                "get 'a b'",
                "--foo bar",
                "put a --lease=zz b",
                "get \"\"",
            ];
            return self.pick(&wrong).to_owned();
        }
        let mut flags = Vec::new();
        match self.below(10) {
            0..4 => {
                let key = self.go_quoted_key();
                let value = self.txn_value();
                let mut words = vec!["put".to_owned(), key];
                if self.one_in(12) {
                    words.push("--ignore-value".to_owned());
                } else {
                    words.push(value);
                }
                if self.one_in(5) {
                    words.push("--prev-kv".to_owned());
                }
                if self.one_in(20) {
                    words.push("--ignore-lease".to_owned());
                }
                if self.one_in(30) {
                    words.push("--lease=7b".to_owned());
                } else if let Some(id) = self.leases.last()
                    && self.puts.is_multiple_of(4)
                {
                    words.push(format!("--lease={id:016x}"));
                }
                words.join(" ")
            }
            4..8 => {
                let mut words = vec!["get".to_owned()];
                words.extend(self.txn_range(&mut flags));
                if self.one_in(4) {
                    words.push(format!("--rev={}", self.revision_near()));
                }
                if self.one_in(5) {
                    words.push(format!("--limit={}", self.below(4)));
                }
                if self.one_in(6) {
                    words.push("--order=DESCEND".to_owned());
                }
                if self.one_in(6) {
                    words.push(format!(
                        "--sort-by={}",
                        self.pick(&["MODIFY", "VERSION", "VALUE", "CREATE"])
                    ));
                }
                if self.one_in(8) {
                    words.push("--keys-only".to_owned());
                }
                if self.one_in(10) {
                    words.push("--print-value-only".to_owned());
                }
                if self.one_in(10) {
                    words.push("--consistency=s".to_owned());
                }
                words.join(" ")
            }
            _ => {
                let mut words = vec!["del".to_owned()];
                words.extend(self.txn_range(&mut flags));
                if self.one_in(3) {
                    words.push("--prev-kv".to_owned());
                }
                words.join(" ")
            }
        }
    }

    fn txn_range(&mut self, flags: &mut Vec<Vec<u8>>) -> Vec<String> {
        let positional = self.range(flags);
        let mut words: Vec<String> = positional.iter().map(|key| go_quoted(key)).collect();
        words.extend(
            flags
                .drain(..)
                .map(|flag| String::from_utf8_lossy(&flag).into_owned()),
        );
        words
    }

    fn txn_value(&mut self) -> String {
        self.puts += 1;
        match self.below(6) {
            0 => format!("\"v{} w\"", self.puts),
            1 => "\"\\x01\\u00e9\\n\"".to_owned(),
            2 => "\"\"".to_owned(),
            _ => format!("v{}", self.puts),
        }
    }

    /// Generates the arguments and flags that select a key, a prefix, all keys from a given key on, or the keys between
    /// two given keys.
    fn range(&mut self, flags: &mut Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let short = |key: Vec<u8>| key[..key.len().min(2)].to_vec();
        match self.below(20) {
            0..8 => vec![self.key()],
            8..12 => {
                flags.push(self.bool_flag("prefix"));
                vec![short(self.key())]
            }
            12..14 => {
                flags.push(self.bool_flag("from-key"));
                vec![short(self.key())]
            }
            14..18 => vec![self.key(), self.key()],
            18 => {
                flags.push(self.pick(&["--prefix", "--from-key"]).as_bytes().to_vec());
                vec![Vec::new()]
            }
            _ if self.is_careful => vec![self.key()],
            _ => {
                flags.push(b"--prefix".to_vec());
                if self.one_in(2) {
                    flags.push(b"--from-key".to_vec());
                    vec![self.key()]
                } else {
                    vec![self.key(), self.key()]
                }
            }
        }
    }

    fn revision_near(&mut self) -> String {
        let span = self.revision.saturating_sub(self.compacted);
        match self.below(12) {
            0 => "0".to_owned(),
            1 => self.revision.to_string(),
            2 => (self.revision + 1 + self.below(3)).to_string(),
            3 => self.compacted.to_string(),
            4 => self.compacted.saturating_sub(1 + self.below(3)).to_string(),
            5 => "-1".to_owned(),
            _ => (self.compacted + self.below(span + 1)).to_string(),
        }
    }

    fn key(&mut self) -> Vec<u8> {
        if self.one_in(40) {
            return Vec::new();
        }
        KEYS[self.below(KEYS.len() as u64) as usize].to_vec()
    }

    fn go_quoted_key(&mut self) -> String {
        let key = self.key();
        go_quoted(&key)
    }

    fn value(&mut self) -> Vec<u8> {
        self.puts += 1;
        match self.below(16) {
            0 => Vec::new(),
            1 => b"two words".to_vec(),
            2 => b"it's \"quoted\" \\ and $HOME `x`".to_vec(),
            3 => b"\x00\x01\xff\xfe\x7f\t"[1..].to_vec(),
            4 => "\u{e9}\u{1f600}\u{85}\u{301}".as_bytes().to_vec(),
            5 => b"line\nbreak\n".to_vec(),
            6 => b"%d%s{\"a\":1}<&>".to_vec(),
            7 => vec![b'x'; 200 + self.below(3000) as usize],
            _ => format!("v{}", self.puts).into_bytes(),
        }
    }

    /// Returns the flag `--name`, sometimes with an explicit value, which can be invalid.
    fn bool_flag(&mut self, name: &str) -> Vec<u8> {
        match self.below(30) {
            0 if !self.is_careful => format!("--{name}=maybe"),
            1 => format!("--{name}=false"),
            2 => format!("--{name}=T"),
            _ => format!("--{name}"),
        }
        .into_bytes()
    }

    /// Adds a flag with a value, as `--name=value` or as `--name value`.
    fn value_flag(&mut self, flags: &mut Vec<Vec<u8>>, name: &str, value: &str) {
        if self.one_in(2) {
            flags.push(format!("--{name}={value}").into_bytes());
        } else {
            // Both words stay together until the command is assembled.
            flags.push(format!("--{name}\u{0}{value}").into_bytes());
        }
    }

    /// Assembles a command with an output format. Flags are placed anywhere between the arguments.
    fn assemble(&mut self, verb: &str, positional: Vec<Vec<u8>>, mut flags: Vec<Vec<u8>>) -> Case {
        if self.one_in(2) {
            let format = self.pick(&FORMATS);
            match self.below(5) {
                0 => flags.push(format!("-w{format}").into_bytes()),
                1 => flags.push(format!("-w={format}").into_bytes()),
                2 => flags.push(format!("--write-out={format}").into_bytes()),
                _ => flags.push(format!("-w\u{0}{format}").into_bytes()),
            }
        } else if self.one_in(30) {
            flags.push("-w\u{0}bogus".as_bytes().to_vec());
        }
        if self.one_in(8) {
            flags.push(self.bool_flag("hex"));
        }
        if self.one_in(80) {
            flags.push(
                self.pick(&["--bogus", "-x", "--nothing=1"])
                    .as_bytes()
                    .to_vec(),
            );
        }
        let mut args: Vec<Vec<u8>> = Vec::new();
        let dashes = positional.iter().any(|word| word.first() == Some(&b'-')) || self.one_in(50);
        if dashes {
            args.extend(flags);
            args.push(b"--".to_vec());
            args.extend(positional);
        } else {
            args.extend(positional);
            for flag in flags {
                let at = self.below(args.len() as u64 + 1) as usize;
                args.insert(at, flag);
            }
        }
        let mut words = vec![verb.as_bytes().to_vec()];
        for arg in args {
            words.extend(arg.split(|byte| *byte == 0).map(<[u8]>::to_vec));
        }
        Case {
            args: words,
            stdin: Vec::new(),
        }
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.chance.below(bound)
    }
}

fn words(words: &[&str]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_bytes().to_vec()).collect()
}

/// Returns a key with quotes, as the lines of a transaction require.
fn go_quoted(key: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in key {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push('"');
    text
}

fn leading_number(text: &str) -> Option<u64> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..digits].parse().ok()
}
