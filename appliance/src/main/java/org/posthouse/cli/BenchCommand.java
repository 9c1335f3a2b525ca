package org.posthouse.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.bench.PingPong;
import org.posthouse.bench.PingPong.Row;
import org.posthouse.launch.JobFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code posthouse bench}: measurements. */
@Command(
        name = "bench",
        description = "Measures the relay beside what one would put in its place.",
        mixinStandardHelpOptions = true,
        subcommands = BenchCommand.PingPongCommand.class,
        synopsisSubcommandLabel = "COMMAND")
final class BenchCommand {
    private BenchCommand() {}

    /** A size in bytes, with k or m for 1024 and 1024 x 1024. */
    static final class SizeConverter implements ITypeConverter<Integer> {
        private static final int BYTES_MAX = 64 << 20;

        @Override
        public Integer convert(String text) {
            String lower = text.toLowerCase(Locale.ROOT);
            int unit = lower.endsWith("k") ? 1024 : lower.endsWith("m") ? 1024 * 1024 : 1;
            String digits = unit == 1 ? lower : lower.substring(0, lower.length() - 1);
            if (!digits.matches("[0-9]{1,8}") || Long.parseLong(digits) * unit > BYTES_MAX || Long.parseLong(digits) == 0) {
                throw new TypeConversionException("\"" + text + "\" is no size, expected 1 to 64m, as 1, 64k or 1m");
            }
            return Integer.parseInt(digits) * unit;
        }
    }

    /** {@code posthouse bench pingpong}. */
    @Command(
            name = "pingpong",
            description = "Round trips of two ranks: raw TCP, a bare Vert.x forwarder, and the relay, in one run.",
            mixinStandardHelpOptions = true)
    static final class PingPongCommand implements Callable<Integer> {
        @Spec
        private CommandSpec command;

        @Option(
                names = "--sizes",
                split = ",",
                converter = SizeConverter.class,
                defaultValue = "1,1k,64k,1m",
                paramLabel = "BYTES",
                description = "Message sizes (default: ${DEFAULT-VALUE}).")
        private List<Integer> sizes;

        @Option(
                names = "--durability",
                split = ",",
                defaultValue = "NONE",
                description = "${COMPLETION-CANDIDATES}, or both (default: ${DEFAULT-VALUE}).")
        private List<Durability> durabilities;

        @Option(names = "--repetitions", defaultValue = "7", description = "Interleaved repetitions (default: ${DEFAULT-VALUE}).")
        private int repetitions;

        @Option(names = "--json", paramLabel = "FILE", description = "Write the figures here too.")
        private Path json;

        @Override
        public Integer call() throws CommandFailure, InterruptedException {
            if (repetitions < 1 || repetitions > 1_000) {
                throw new CommandFailure("--repetitions " + repetitions + ", expected 1 to 1000");
            }
            ObjectMapper mapper = new ObjectMapper();
            ObjectNode report = mapper.createObjectNode()
                    .put("command", "posthouse " + String.join(" ", command.commandLine().getParent().getParent().getParseResult().originalArgs()))
                    .put("baseline", "raw: one TCP hop between the ranks; forwarder: a bare Vert.x forwarder, two hops; same run")
                    .put("at", Instant.now().toString())
                    .put("processors", Runtime.getRuntime().availableProcessors())
                    .put("java", System.getProperty("java.vm.version"))
                    .put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"))
                    .put("repetitions", repetitions);
            ArrayNode figures = report.putArray("figures");
            try (Interruption interruption = Interruption.open()) {
                for (Durability durability : durabilities) {
                    List<Row> rows =
                            PingPong.run(sizes, repetitions, durability == Durability.PROCESS, interruption::guard);
                    print(durability, rows);
                    add(figures, durability, rows);
                }
                if (json != null) {
                    mapper.writerWithDefaultPrettyPrinter().writeValue(json.toFile(), report);
                }
                return 0;
            } catch (IOException | JobFailure e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }

        private void print(Durability durability, List<Row> rows) {
            System.out.printf("%nround trips in microseconds, durability %s, %d interleaved repetitions%n",
                    durability.name().toLowerCase(Locale.ROOT), repetitions);
            System.out.printf("%10s  %-10s %10s %10s %8s %12s%n", "bytes", "transport", "median", "p99", "x raw", "x forwarder");
            for (int size : sizes) {
                for (Row row : of(rows, size)) {
                    System.out.printf(Locale.ROOT, "%10d  %-10s %10.1f %10.1f %8.2f %12.2f%n", size, row.transport(), row.medianMicros(),
                            row.p99Micros(), PingPong.ratio(row, of(rows, size).get(0)), PingPong.ratio(row, of(rows, size).get(1)));
                }
            }
        }

        private void add(ArrayNode figures, Durability durability, List<Row> rows) {
            for (Row row : rows) {
                List<Row> same = of(rows, row.bytes());
                figures.addObject()
                        .put("durability", durability.name().toLowerCase(Locale.ROOT))
                        .put("bytes", row.bytes())
                        .put("transport", row.transport())
                        .put("medianMicros", row.medianMicros())
                        .put("p99Micros", row.p99Micros())
                        .put("timesRaw", PingPong.ratio(row, same.get(0)))
                        .put("timesForwarder", PingPong.ratio(row, same.get(1)));
            }
        }

        /** The rows of one size: raw, forwarder, relay. */
        private static List<Row> of(List<Row> rows, int size) {
            List<Row> same = new ArrayList<>();
            for (String transport : List.of("raw", "forwarder", "relay")) {
                rows.stream()
                        .filter(row -> row.bytes() == size && row.transport().equals(transport))
                        .forEach(same::add);
            }
            return same;
        }
    }
}
