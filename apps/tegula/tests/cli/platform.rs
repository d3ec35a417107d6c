//! `tegula platform`, and what runs learn of kernels.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Run, assert_close, command, folder, folder_with, number, tegula, tegula_in};

#[test]
fn listed_platforms_are_shown() {
    let list = tegula("platform show --json - -q").succeeded().json();
    let platforms = list["platforms"].as_array().expect("a list");
    assert!(platforms.len() >= 5);
    for listed in platforms {
        let name = listed["name"].as_str().expect("a name");
        let run = tegula(&format!("platform show {name}")).succeeded();
        assert!(run.stdout.contains("Gflop/s"), "{}", run.stdout);
    }
    let text = tegula("platform show chifflet").succeeded().stdout;
    for word in ["network", "of Grid'5000: 1.02 GB/s each way, latency 50.0 us", "GPU 1"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let text = tegula("platform show").succeeded().stdout;
    assert!(text.contains("mirage-lu") && text.contains("times of Cholesky"), "{text}");
    assert_eq!(platforms[0]["precision"], "s");
    let learnt = tegula("platform show --learnt").succeeded().stdout;
    assert!(learnt.contains("models-") && learnt.contains(".toml"), "{learnt}");
}

#[test]
fn all_of_a_platform_is_in_its_json() {
    let mirage = tegula("platform show mirage --json - -q").succeeded().json();
    assert_eq!(mirage["workers"].as_array().map(Vec::len), Some(12));
    assert_eq!(mirage["routes"].as_array().map(Vec::len), Some(12));
    assert_eq!(mirage["links"].as_array().map(Vec::len), Some(13));
    assert_eq!(mirage["workers"][11]["memory"], "CUDA2");
    assert_eq!(number(&mirage, "/links/0/bytes_per_second"), 6517e6);
    let kernels = mirage["kernels"].as_array().expect("a list");
    let is_wanted = |kernel: &&Value| {
        kernel["codelet"] == "gemm" && kernel["class"] == "cpu" && kernel["flops"] == 1_769_472_000
    };
    let gemm = kernels.iter().find(is_wanted).expect("gemm on tiles of 960");
    assert_close(number(gemm, "/seconds"), 0.0877802, 1e-9);
}

#[test]
fn wrong_platforms_are_refused_with_their_line() {
    tegula("platform show mirgae").failed(2, &["no platform 'mirgae'", "mirage"]);
    tegula("platform show missing.toml").failed(2, &["cannot read", "missing.toml"]);
    let text = "name = \"x\"\nsource = \"y\"\nmemory = [{ name = \"RAM\", kind = \"rom\" }]\n";
    let folder = folder_with("wrong.toml", text);
    let run = tegula_in(&folder, "platform show wrong.toml");
    run.failed(2, &["wrong.toml, line 3", "kind", "rom"]);
    tegula("platform calibrate --scratch missing").failed(2, &["--scratch missing"]);
}

#[test]
fn a_machine_is_measured_and_its_file_can_be_shown() {
    let folder = folder();
    let flags = "--tile-size 8,16 --precision d --samples 10 --scratch . -o here.toml";
    let run = tegula_in(&folder, &format!("platform calibrate {flags} --json here.json"));
    let text = run.succeeded().stdout;
    for word in ["potrf", "getrf_nopiv", "geadd", "covariance", "copies", "disk", "page cache"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let shown = tegula_in(&folder, "platform show here.toml --json - -q").succeeded().json();
    let kernels = shown["kernels"].as_array().expect("a list");
    let gemms = kernels.iter().filter(|kernel| kernel["codelet"] == "gemm");
    let sizes: Vec<f64> = gemms.clone().map(|gemm| number(gemm, "/flops")).collect();
    assert_eq!(sizes, [1024.0, 8192.0]);
    assert!(gemms.into_iter().all(|gemm| number(gemm, "/samples") == 10.0));
    assert_eq!(shown["memories"][1]["kind"], "disk");
    assert_eq!(shown["precision"], "d");
    assert_eq!(shown["links"].as_array().map(Vec::len), Some(2), "one to the disk, one back");
    let written = fs::read_to_string(folder.join("here.json")).expect("the JSON was written");
    assert!(written.contains("copy_bytes_per_second"));
    let leftover = fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(leftover, 2, "only the description and the JSON are left");
}

/// Runs a small factorization that plans, with `cache` as the user's folder of caches.
fn planned(cache: &Path) -> Run {
    let arguments = "linalg potrf -n 96 --tile-size 16 --workers 2 --policy dmdas -v";
    let output = command(cache, arguments).env("XDG_CACHE_HOME", cache).output();
    let output = output.expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    let code = output.status.code().expect("no signal ended the run");
    Run { code, stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// How many times of kernels a run says that it knew.
fn known(run: &Run) -> usize {
    let line = run.stdout.lines().find(|line| line.contains(" times from "));
    let count = line.and_then(|line| line.split(' ').next());
    count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{}", run.stdout))
}

#[test]
fn times_are_learnt_from_run_to_run_and_left_to_their_version() {
    let cache = folder();
    let first = planned(&cache).succeeded();
    assert_eq!(known(&first), 0, "{}", first.stdout);
    let files = fs::read_dir(cache.join("tegula")).expect("the folder was made");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 1);
    let text = fs::read_to_string(&files[0]).expect("the file");
    assert!(text.starts_with("learnt = {") && text.contains("codelet = \"gemm\""), "{text}");
    let second = planned(&cache).succeeded();
    assert!(known(&second) >= 4, "{}", second.stdout);
    let mut show = command(&cache, "platform show --learnt --json -");
    let learnt = show.env("XDG_CACHE_HOME", &cache).output().expect("the binary starts");
    let shown: Value = serde_json::from_slice(&learnt.stdout).expect("JSON");
    let by_name = tegula_in(&cache, &format!("platform show {} --json -", files[0].display()));
    assert_eq!(by_name.succeeded().json(), shown);
    assert_eq!(shown["path"], files[0].to_str().expect("UTF-8"));
    assert!(shown["kernels"].as_array().is_some_and(|kernels| kernels.len() >= 4), "{shown:#}");
    fs::write(&files[0], text.replacen("version = \"", "version = \"9", 1)).expect("the file");
    // The note is folded wherever the length of the path has it.
    let third = planned(&cache).succeeded().stdout;
    let words = third.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("note:") && words.contains("version 90.1.0"), "{third}");
    assert!(
        known(&planned(&cache).succeeded()) >= 4,
        "the file of the other version is written over"
    );
}

#[test]
fn a_formula_is_shown_and_simulated_with() {
    let text = "name = \"x\"\nsource = \"y\"\nmemory = [{ name = \"RAM\", kind = \"ram\" }]\n\
                class = [{ name = \"cpu\", kind = \"cpu\" }]\n\
                worker = [{ class = \"cpu\", memory = \"RAM\" }]\n\
                kernel = [{ codelet = \"potrf\", class = \"cpu\", gflops = 2, overhead_seconds = 1e-3 }]\n";
    let folder = folder_with("formula.toml", text);
    let shown = tegula_in(&folder, "platform show formula.toml").succeeded().stdout;
    assert!(shown.contains("1.00 ms + Gflop / 2.00"), "{shown}");
    let flags = "--tiles 1 --tile-size 300 --json - -q";
    let run = tegula_in(&folder, &format!("simulate cholesky --platform formula.toml {flags}"));
    let result = run.succeeded().json();
    // A third of n^3, half of n^2 and a sixth of n operations.
    let flops = 9e6 + 45e3 + 50.0;
    assert_close(number(&result, "/makespan_seconds"), 1e-3 + 0.5e-9 * flops, 1e-6);
    assert_eq!(result["guessed"], serde_json::json!([]));
}

#[test]
fn ranks_are_calibrated_as_a_cluster_that_can_be_planned_and_simulated() {
    let folder = folder();
    let run = "platform calibrate --ranks local:2 --tile-size 64,96 --samples 3 -o cluster.toml";
    let json = tegula_in(&folder, &format!("{run} --json -")).succeeded().json();
    let network = &json["network"];
    for rate in ["/bytes_per_second/0", "/bytes_per_second/1", "/messages_per_second", "/both_ways"]
    {
        assert!(number(network, rate) > 0.0, "{rate}: {network}");
    }
    assert!(number(network, "/latency_seconds") > 0.0, "{network}");
    let ranks = |kind: &Value| kind["ranks"].as_array().map_or(0, Vec::len);
    assert_eq!(json["kinds"].as_array().expect("a list").iter().map(ranks).sum::<usize>(), 2);
    for command in ["plan exageostat --distribution lp", "simulate cholesky"] {
        let run = format!("{command} --platform cluster.toml --tiles 6 --tile-size 96");
        tegula_in(&folder, &run).succeeded();
    }
    let shown = tegula_in(&folder, "platform show cluster.toml").succeeded().stdout;
    assert!(shown.contains("cluster of 2 ranks"), "{shown}");
}
