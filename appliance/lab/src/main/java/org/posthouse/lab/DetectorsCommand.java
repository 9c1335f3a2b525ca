package org.posthouse.lab;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.bench.detectors.DetectorPlan;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.detector.DetectorProtocol;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench detectors}: failure detectors in simulated time. */
@Command(
        name = "detectors",
        description = "Kills hosts in simulated time and compares how failure detectors find them, and what their messages cost.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "No process is started: thousands of simulated seconds take some seconds.",
            "",
            "Examples:",
            "  posthouse bench detectors --hosts 16,64,256,1024 --plot detectors.svg",
            "  posthouse bench detectors --loss 0.01 --pause 2000 --drift 1e-4 --trials 50"
        })
final class DetectorsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(
            names = "--detectors",
            split = ",",
            defaultValue = "random,rr,brr,dbrr,swim",
            paramLabel = "NAME",
            description = "Which are compared (default: ${DEFAULT-VALUE}).")
    private List<String> detectors;

    @Option(
            names = "--hosts",
            split = ",",
            defaultValue = "4,16,64,256",
            paramLabel = "N",
            description = "Numbers of hosts (default: ${DEFAULT-VALUE}).")
    private List<Integer> hosts;

    @Option(names = "--sites", defaultValue = "3", paramLabel = "S", description = "Sites of the hosts (default: ${DEFAULT-VALUE}).")
    private int sites;

    @Option(names = "--period", defaultValue = "500", paramLabel = "MS", description = "Length of a round (default: ${DEFAULT-VALUE}).")
    private int periodMs;

    @Option(names = "--delay", defaultValue = "10", paramLabel = "MS", description = "One way between two sites (default: ${DEFAULT-VALUE}).")
    private double delayMs;

    @Option(names = "--loss", defaultValue = "0", paramLabel = "SHARE", description = "Share of messages that are lost (default: ${DEFAULT-VALUE}).")
    private double loss;

    @Option(
            names = "--pause",
            defaultValue = "0",
            paramLabel = "MS",
            description = "How long a host stands still, each 100 s in the mean; 0: never (default: ${DEFAULT-VALUE}).")
    private int pauseMs;

    @Option(names = "--drift", defaultValue = "0", paramLabel = "SHARE", description = "Most by which clocks run wrong (default: ${DEFAULT-VALUE}).")
    private double drift;

    @Option(names = "--trials", defaultValue = "20", paramLabel = "N", description = "Kills for each point (default: ${DEFAULT-VALUE}).")
    private int trials;

    @Option(
            names = "--failure-trials",
            defaultValue = "100000",
            paramLabel = "N",
            description = "Draws of dead hosts for the failure of the detector itself; 0: none (default: ${DEFAULT-VALUE}).")
    private int failureTrials;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "Seed of all that is drawn (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private ReportOptions report;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Draw time against hosts here, and the detector's own failure in FILE-failure.svg.")
    private Path plot;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        report.measure(plan(), plot);
        return 0;
    }

    private DetectorPlan plan() {
        try {
            return new DetectorPlan(
                    detectors.stream().map(DetectorProtocol::of).toList(), hosts, sites, periodMs, delayMs, loss, pauseMs, drift, trials, failureTrials, seed);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
