package org.posthouse.lab;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.posthouse.bench.names.NamesBackEnd;
import org.posthouse.bench.names.NamesPlan;
import org.posthouse.cli.option.CommandFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse bench names}: back ends of names. */
@Command(
        name = "names",
        description = "Inserts and reads names at each back end, with and without locks, and holds elections, over an emulated way.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The back ends are started on this host. LDAP is the system's slapd, or a server in memory if there is none.",
            "",
            "Example:",
            "  posthouse bench names --back-ends memory,ldap --batches 10,100,1000"
        })
final class NamesBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec command;

    @Option(
            names = "--back-ends",
            split = ",",
            defaultValue = "memory,hazelcast,ldap,raft",
            paramLabel = "NAME",
            description = "Which are compared (default: ${DEFAULT-VALUE}).")
    private List<String> backEnds;

    @Option(
            names = "--payloads",
            split = ",",
            defaultValue = "10,100,200,300,400,500,600,700,800,900",
            paramLabel = "BYTES",
            description = "Sizes of one entry (default: ${DEFAULT-VALUE}).")
    private List<Integer> payloads;

    @Option(
            names = "--batches",
            split = ",",
            defaultValue = "10,20,30,50",
            paramLabel = "N",
            description = "Numbers of entries of 100 B (default: ${DEFAULT-VALUE}).")
    private List<Integer> batches;

    @Option(names = "--elections", defaultValue = "20", paramLabel = "N", description = "Elections of each back end (default: ${DEFAULT-VALUE}).")
    private int elections;

    @Option(
            names = "--round-trip",
            defaultValue = "110",
            paramLabel = "MS",
            description = "Round trip between front ends and back end in milliseconds; 0: no delay (default: ${DEFAULT-VALUE}).")
    private double roundTripMs;

    @Option(
            names = "--rate",
            defaultValue = "64",
            paramLabel = "KBIT",
            description = "Kilobits a second, each way; 0: no limit (default: ${DEFAULT-VALUE}).")
    private int kilobitsPerSecond;

    @Option(names = "--repetitions", defaultValue = "3", paramLabel = "R",
            description = "Runs of each batch, in turns; single entries have five times as many (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Mixin
    private ReportOptions report;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Draw time against entries here, and against payload in FILE-payload.svg.")
    private Path plot;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        report.measure(plan(), plot);
        return 0;
    }

    private NamesPlan plan() {
        try {
            return new NamesPlan(
                    backEnds.stream().map(NamesBackEnd::of).toList(), payloads, batches, elections, roundTripMs, kilobitsPerSecond, repetitions);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }
}
