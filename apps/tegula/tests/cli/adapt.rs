//! `tegula adapt`: counts of nodes simulated, and strategies on them.

use crate::support::{assert_close, column, folder, folder_with, number, tegula_in};

/// Durations of six nodes in two groups: four are best.
const POOL: &str = "\
generation,factorization,group,lp_first,lp_second,seconds
6,1,1,2,40,42
6,2,1,2,20,24
6,3,1,2,14,19
6,4,1,2,11,17
6,5,2,2,10,22
6,6,2,2,9,25
";

#[test]
fn a_pool_is_simulated_and_replayed() {
    let folder = folder();
    let pool = "adapt pool --platform 2chetemi+2chifflet --tiles 12 -o pool.csv --json p.json";
    tegula_in(&folder, pool).succeeded();
    let path = folder.join("pool.csv");
    // Chifflets are faster: they come first.
    assert_eq!(column(&path, "factorization"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(column(&path, "group"), [1.0, 1.0, 2.0, 2.0]);
    let bounds = column(&path, "lp_second");
    assert!(bounds.is_sorted_by(|a, b| a >= b), "more nodes share the work: {bounds:?}");
    // A node more takes power, and time from the others.
    let joules = column(&path, "joules");
    assert!(joules.iter().all(|joules| *joules > 0.0), "{joules:?}");
    let pool: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("p.json")).expect("it is there"))
            .expect("JSON");
    let rows = pool["rows"].as_array().expect("a list");
    let costs: Vec<[f64; 2]> =
        rows.iter().map(|row| ["/seconds", "/joules"].map(|name| number(row, name))).collect();
    let front: Vec<usize> = serde_json::from_value(pool["front"].clone()).expect("rows");
    let is_beaten = |row: usize| {
        costs.iter().any(|other| {
            let [time, joules] = costs[row];
            other[0] <= time && other[1] <= joules && *other != costs[row]
        })
    };
    let expected: Vec<usize> = (0..rows.len()).filter(|&row| !is_beaten(row)).collect();
    let mut sorted = front.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let json = tegula_in(&folder, "adapt replay pool.csv --repeat 3 -o report.html --json -");
    let json = json.succeeded().json();
    assert_eq!(json["pools"][0]["groups"], serde_json::json!([2, 4]));
    let best = number(&json, "/pools/0/best/seconds");
    assert_close(best, column(&path, "seconds").into_iter().fold(f64::INFINITY, f64::min), 0.0);
    let page = std::fs::read_to_string(folder.join("report.html")).expect("a page");
    assert!(page.contains("gp-discontinuous") && page.contains("Time and energy"));
}

#[test]
fn strategies_are_told_by_what_they_lose() {
    let folder = folder_with("pool.csv", POOL);
    let run = "adapt replay pool.csv --strategy all,left-right --noise 0 --iterations 10 --json -";
    let json = tegula_in(&folder, run).succeeded().json();
    let strategies = json["pools"][0]["strategies"].as_array().expect("a list");
    let of = |name: &str| strategies.iter().find(|one| one["name"] == name).expect("it ran");
    assert_close(number(of("all"), "/seconds"), 250.0, 1e-12);
    // 1, 2, 3, 4, then 5, which is slower, then 4 for ever.
    let walked = 42.0 + 24.0 + 19.0 + 17.0 + 22.0 + 5.0 * 17.0;
    assert_close(number(of("left-right"), "/seconds"), walked, 1e-12);
    assert_eq!(of("left-right")["best_found_at"], 4);
    assert_eq!(json["pools"][0]["bound_nodes"], 2);
}

#[test]
fn choices_may_spare_energy_or_both() {
    let folder = folder();
    let pool = "adapt pool --platform 2chifflot+2chetemi --tiles 16 --both-phases -o pool.csv";
    let said = tegula_in(&folder, pool).succeeded().stdout;
    assert!(
        said.contains("least energy: ") && said.contains("least energy times time: "),
        "{said}"
    );
    let path = folder.join("pool.csv");
    let [seconds, joules, first, second] =
        ["seconds", "joules", "generation", "factorization"].map(|name| column(&path, name));
    let least = |cost: &dyn Fn(usize) -> f64| {
        let rows = 0..seconds.len();
        let row = rows.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).expect("rows");
        [first[row], second[row]]
    };
    let of_time = least(&|row| seconds[row]);
    let of_energy = least(&|row| joules[row]);
    assert!(of_energy[0] < of_time[0], "fewer nodes draw less: {of_energy:?} and {of_time:?}");
    for (objective, expected) in [
        ("time", of_time),
        ("energy", of_energy),
        ("product", least(&|row| seconds[row] * joules[row])),
    ] {
        let run =
            format!("adapt replay pool.csv --objective {objective} --noise 0 --repeat 2 --json -");
        let json = tegula_in(&folder, &run).succeeded().json();
        assert_eq!(json["objective"], objective);
        let best = &json["pools"][0]["best"];
        assert_eq!(["/generation", "/factorization"].map(|name| number(best, name)), expected);
        // The one that uses the bound comes near; a run takes what its choices take.
        let found = &json["pools"][0]["strategies"][0];
        assert_eq!(found["name"], "gp-discontinuous");
        assert!(number(found, "/loss_to_best") < 0.2, "{objective}: {found}");
        let taken: Vec<f64> = serde_json::from_value(found["actions"].clone()).expect("counts");
        let sum = |of: &[f64]| taken.iter().zip(of).map(|(times, one)| times * one).sum::<f64>();
        assert_close(number(found, "/seconds"), sum(&seconds), 1e-9);
        assert_close(number(found, "/joules"), sum(&joules), 1e-9);
    }
    // Without joules, and where a row takes none.
    let with_energy = POOL.replace('\n', ",1\n").replacen(",1", ",joules", 1);
    for pool in [POOL, &with_energy.replace("9,25,1", "9,25,0")] {
        let folder = folder_with("pool.csv", pool);
        tegula_in(&folder, "adapt replay pool.csv --noise 0 --repeat 1").succeeded();
        let run = tegula_in(&folder, "adapt replay pool.csv --objective energy");
        run.failed(2, &["needs the column joules"]);
    }
}

#[test]
fn what_is_no_pool_is_refused() {
    let refused = |text: &str, reason: &str| {
        let folder = folder_with("pool.csv", text);
        let run = tegula_in(&folder, "adapt replay pool.csv");
        assert_eq!(run.code, 2, "{text}: {}", run.stderr);
        assert!(run.stderr.contains(reason), "{text}: {}", run.stderr);
    };
    refused(&POOL.replace("seconds", "time"), "seconds");
    refused(&POOL.replace("6,3,1", "6,2,1"), "line 4: these counts stand there twice");
    refused(&POOL.replace("9,25", "9,-25"), "line 7: times are numbers");
    refused(&POOL.replace("6,6,2", "6,7.5,2"), "line 7: counts and groups");
    refused(&POOL.replace("6,6,2,2,9,25\n", ""), "no row has all 5 nodes");
    refused(&POOL.replace("6,2,1", "6,2,2"), "groups follow each other");
    let with_energy = POOL.replace('\n', ",1\n").replacen(",1", ",joules", 1);
    refused(&with_energy.replace("9,25,1", "9,25,-1"), "line 7: joules are numbers from 0 on");
    let run = tegula_in(&folder(), "adapt pool --platform 1chetemi --tiles 4 -o pool.csv");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("nothing to choose"), "{}", run.stderr);
}
