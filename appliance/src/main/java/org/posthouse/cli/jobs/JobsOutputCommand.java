package org.posthouse.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.WholeNumber;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.job.JobFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthouse jobs output}: what a job's folder has kept of its ranks' output, or else the newest lines that its relays have. */
@Command(
        name = "output",
        description = "Prints what the ranks of a job have printed, running or over. Of a job with a folder (run --folder DIR) that is all of standard output; of a"
                + " job's id, the newest lines of both streams that its relays have (not with run --no-output-tail).",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse jobs output june", "  posthouse jobs output june --rank 3 --err",
            "  posthouse jobs output 4f1c09a2b3d4e5f6 --search error", "  posthouse jobs output june --json"})
final class JobsOutputCommand implements Callable<Integer> {
    /** As many as a relay's answer has at most. */
    private static final int LINES_MAX = 2_000;

    @Spec
    private CommandSpec command;

    @Parameters(paramLabel = "DIR|ID", description = "The job's folder, or its id, as posthouse jobs lists it.")
    private String job;

    @Option(names = "--rank", paramLabel = "R", converter = WholeNumber.NotNegative.class,
            description = "Only this rank, without the rank in front of each line.")
    private Integer rank;

    @Option(names = "--err", description = "Standard error in place of standard output.")
    private boolean standardError;

    @Option(names = "--search", paramLabel = "TEXT", defaultValue = "", description = "Only lines with this text, in capitals or not.")
    private String search;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        Path folder = Path.of(job);
        if (!JobFolder.isOne(folder)) {
            if (!JobId.isOne(job)) {
                throw new CommandFailure(job + " is neither the folder of a job (run --folder) nor a job's id");
            }
            printNewest();
            return 0;
        }
        try {
            print(folder);
            return 0;
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private void print(Path folder) throws JobFailure {
        int ranks = JobFolder.ranks(folder);
        if (rank != null && rank >= ranks) {
            throw new ParameterException(command.commandLine(), "--rank " + rank + ": the job has ranks 0 to " + (ranks - 1));
        }
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (int each : rank == null ? IntStream.range(0, ranks).toArray() : new int[] {rank}) {
            List<String> lines = JobFolder.shown(folder, each, standardError ? "err" : "out").stream().filter(this::isSearched).toList();
            if (console.json()) {
                ArrayNode listed = all.addObject().put("rank", each).put("stream", standardError ? "err" : "out").putArray("lines");
                lines.forEach(listed::add);
            } else {
                lines.forEach(line -> System.out.println(rank == null ? "[" + each + "] " + line : line));
            }
        }
        if (console.json()) {
            System.out.println(all);
        }
    }

    private boolean isSearched(String line) {
        return line.toLowerCase(Locale.ROOT).contains(search.toLowerCase(Locale.ROOT));
    }

    /** What the job's relays have. */
    private void printNewest() throws CommandFailure {
        ConsoleClient client = console.client();
        String path = JobId.path(job) + "/output?lines=" + LINES_MAX + "&search=" + URLEncoder.encode(search, StandardCharsets.UTF_8)
                + (rank == null ? "" : "&rank=" + rank);
        String answer = client.get(path);
        if (console.json()) {
            System.out.println(answer);
            return;
        }
        JsonNode output = client.json(answer);
        for (JsonNode line : output.path("lines")) {
            boolean isErr = line.path("stream").asText().equals("err");
            if (isErr || !standardError) {
                String tag = rank == null ? "[" + line.path("rank").asInt() + "] " : "";
                (isErr ? System.err : System.out).println(tag + OneLine.of(line.path("text").asText()));
            }
        }
        String note = note(output);
        if (!note.isEmpty()) {
            System.err.println(note);
        }
    }

    /** What is missing in the relays' answer; empty if nothing is. */
    static String note(JsonNode output) {
        List<String> parts = new ArrayList<>();
        long older = output.path("older").asLong() + output.path("dropped").asLong();
        if (older > 0) {
            parts.add(String.format(Locale.ROOT, "%,d further lines are not shown: relays keep the newest", older));
        }
        if (output.path("lines").isEmpty() && older == 0) {
            parts.add("the relays have no line: none was printed or matches, or the job was started with --no-output-tail");
        }
        if (!output.path("missing").isEmpty()) {
            parts.add("without the ranks at relays that do not answer: " + String.join(", ", texts(output.path("missing"))));
        }
        return parts.isEmpty() ? "" : "posthouse jobs output: " + String.join("; ", parts);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(OneLine.of(each.asText())));
        return texts;
    }
}
