package org.posthouse.lab;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.posthouse.bench.BenchPlan;
import org.posthouse.bench.Delivery;
import org.posthouse.bench.Variant;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.cli.option.BusyPollTime;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.EagerMax;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.SocketKind;
import org.posthouse.wire.Durability;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code posthouse bench}: measurements. */
@Command(
        name = "bench",
        description = "Measures MPI operations over embedded relays, and what each costs the relays.",
        mixinStandardHelpOptions = true,
        subcommands = {ScaleCommand.class, AllocationCommand.class, BenchJobCommand.class, LogFlowCommand.class, WanCommand.class, NamesBenchCommand.class,
            DetectorsCommand.class, ReplicasCommand.class},
        footer = {
            "",
            "Examples:",
            "  posthouse bench pingpong --sizes 1..1m --plot pingpong.svg",
            "  posthouse bench stream --sizes 64 --window 1000",
            "  posthouse bench bcast -n 8 --sites 2 --algorithm auto --algorithm bcast=chain",
            "  posthouse bench allreduce alltoall barrier -n 8 --json figures.json",
            "",
            "docs/bench.md defines every test and column."
        })
final class BenchCommand implements Callable<Integer> {
    private static final int RANKS_DEFAULT = 4;
    private static final int RANKS_OF_PAIR = 2;

    /** Value of {@code --algorithm} for the library's own choice. */
    private static final String LIBRARY_CHOOSES = "auto";

    @Spec
    private CommandSpec command;

    @Parameters(arity = "0..*", paramLabel = "TEST", description = "${COMPLETION-CANDIDATES}; one or several.")
    private List<Benchmark> tests;

    @Option(
            names = {"-n", "-np", "--ranks"},
            paramLabel = "N",
            description = "Number of ranks (default: 4; 2 for each pair if there are only tests of pairs).")
    private Integer ranks;

    @Option(names = "--pairs", defaultValue = "1", paramLabel = "P", description = "Pairs of pingpong, stream and pingping (default: 1).")
    private int pairs;

    @Option(
            names = "--sizes",
            converter = SizesConverter.class,
            defaultValue = "1,1k,64k,1m",
            paramLabel = "BYTES",
            description = "Message sizes: a list, with ranges that double, as 1,1k or 1..1m (default: ${DEFAULT-VALUE}).")
    private Sizes sizes;

    @Option(names = "--sites", defaultValue = "1", paramLabel = "S", description = "Sites to spread the ranks over (default: 1).")
    private int sites;

    @Option(
            names = "--relays-per-site",
            defaultValue = "1",
            paramLabel = "K",
            description = "Relays to spread each site's ranks over (default: 1).")
    private int relaysPerSite;

    @Option(
            names = "--modes",
            converter = ModeList.Converter.class,
            defaultValue = "multiplexed",
            paramLabel = "MODES",
            description = "Modes of the relays, to compare, or all (default: ${DEFAULT-VALUE}).")
    private ModeList modes;

    @Option(
            names = "--transports",
            split = ",",
            defaultValue = "AUTO",
            paramLabel = "KIND",
            description = "What the relays' sockets are made of, ${COMPLETION-CANDIDATES}; several to compare (default: auto).")
    private List<SocketKind> sockets;

    @Option(
            names = "--durability",
            split = ",",
            defaultValue = "NONE",
            paramLabel = "WHAT",
            description = "none or process, or both to compare (default: none).")
    private List<Durability> durabilities;

    @Option(
            names = "--buffers",
            split = ",",
            defaultValue = "DIRECT",
            paramLabel = "KIND",
            description = "What the ranks of pingpong and stream keep messages in, ${COMPLETION-CANDIDATES}, or both to compare"
                    + " (default: direct, as the baselines).")
    private List<BufferKind> buffers;

    @Option(
            names = "--layouts",
            split = ",",
            defaultValue = "FREE",
            paramLabel = "WHERE",
            description = "On which of two processors relays and ranks run, ${COMPLETION-CANDIDATES}; several to compare; Linux only (default: free).")
    private List<ProcessLayout> layouts;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME=ALGORITHM",
            description = "Forces algorithms of collectives, as bcast=chain,allreduce=doubling; auto: the library chooses."
                    + " May be repeated, to compare.")
    private List<String> algorithms = List.of(LIBRARY_CHOOSES);

    @Option(
            names = "--eager-max",
            split = ",",
            converter = EagerMax.class,
            paramLabel = "BYTES",
            description = "Longest message that a standard send does not hold back until it is received; several to compare.")
    private List<Settings> settings = List.of();

    @Option(
            names = "--busy-poll",
            split = ",",
            converter = BusyPollTime.class,
            paramLabel = "MICROS",
            description = "How long a rank's call that is blocked, and the relays' loops, ask again before they sleep;"
                    + " several to compare.")
    private List<Integer> busyPolls = List.of();

    @Option(
            names = "--baselines",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Measure pingpong and stream over a raw connection and bare forwarders too (default: yes).")
    private boolean baselines;

    @Option(names = "--repetitions", defaultValue = "7", paramLabel = "R", description = "Interleaved repetitions (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Option(
            names = "--phase-ms",
            defaultValue = "250",
            paramLabel = "MS",
            description = "How long one repetition of a line lasts, about (default: ${DEFAULT-VALUE}).")
    private int phaseMs;

    @Option(
            names = "--window",
            defaultValue = "" + BenchPlan.WINDOW_DEFAULT,
            paramLabel = "M",
            description = "Messages of stream that are under way at once (default: ${DEFAULT-VALUE}).")
    private int window;

    @Option(
            names = "--delivery",
            split = ",",
            converter = DeliveryWord.class,
            paramLabel = "PATHS",
            description = "Two sites that are joined by their gateways: whether sender and receiver (s, r) are at home near, at a relay of their own"
                    + " behind the gateway, or far, at the gateway: nsd-nrd, nsd-frd, fsd-nrd, fsd-frd; several to compare.")
    private List<Delivery> deliveries = List.of();

    @Mixin
    private ReportOptions report;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "Draw time against size here too.")
    private Path plot;

    /** The value of {@code --sizes}. */
    private record Sizes(List<Integer> bytes) {}

    private static final class SizesConverter implements ITypeConverter<Sizes> {
        @Override
        public Sizes convert(String text) {
            try {
                return new Sizes(SizeList.parse(text));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    private static final class DeliveryWord implements ITypeConverter<Delivery> {
        @Override
        public Delivery convert(String text) {
            return Arrays.stream(Delivery.values()).filter(path -> path.word().equals(text)).findFirst().orElseThrow(
                    () -> new TypeConversionException(
                            "expected one of " + Arrays.stream(Delivery.values()).map(Delivery::word).collect(Collectors.joining(", "))
                                    + ", not \"" + text + "\""));
        }
    }

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        if (tests == null) {
            throw new ParameterException(command.commandLine(),
                    "Missing required parameter: 'TEST', or the command 'scale', 'job', 'logflow', 'wan' or 'names'");
        }
        BenchPlan plan = plan();
        report.measure(plan, plot);
        return 0;
    }

    private BenchPlan plan() {
        if (plot != null && tests.stream().noneMatch(Benchmark::isSized)) {
            throw new ParameterException(command.commandLine(), "--plot draws time against size, and barrier has no size");
        }
        if (!deliveries.isEmpty() && (relaysPerSite != 1 || sites != 1)) {
            throw new ParameterException(command.commandLine(), "--delivery has two sites with relays of its own: give neither --sites nor --relays-per-site");
        }
        boolean onlyPairs = tests.stream().allMatch(Benchmark::isOfPairs);
        int count = ranks != null ? ranks : Math.max(onlyPairs ? 0 : RANKS_DEFAULT, RANKS_OF_PAIR * pairs);
        try {
            return new BenchPlan(
                    tests.stream().distinct().toList(),
                    count,
                    pairs,
                    deliveries.isEmpty() ? sites : 2,
                    relaysPerSite,
                    sizes.bytes(),
                    Variant.delivered(variants(), deliveries.stream().distinct().toList()),
                    baselines,
                    repetitions,
                    phaseMs,
                    window)
                    .in(layouts.stream().distinct().toList());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage());
        }
    }

    private List<Variant> variants() {
        return Variant.all(
                modes.modes(),
                sockets.stream().distinct().toList(),
                Durabilities.logged(durabilities, command),
                buffers.stream().distinct().toList(),
                algorithms.stream().map(name -> name.equals(LIBRARY_CHOOSES) ? "" : name).distinct().toList(),
                chosenSettings());
    }

    /** Every combination of what is set for the ranks; empty if nothing is. */
    private List<Settings> chosenSettings() {
        if (busyPolls.isEmpty()) {
            return settings.stream().distinct().toList();
        }
        List<Settings> eager = settings.isEmpty() ? List.of(Settings.DEFAULT) : settings;
        return eager.stream()
                .flatMap(set -> busyPolls.stream().map(micros -> new Settings(set.eagerBytesMax(), micros)))
                .distinct()
                .toList();
    }
}
