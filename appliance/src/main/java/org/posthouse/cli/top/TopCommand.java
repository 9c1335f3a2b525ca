package org.posthouse.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.posthouse.causes.Causes;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.cli.terminal.StandardStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthouse top}: what the console's page shows, in a terminal. */
@Command(
        name = "top",
        description = "Shows the grid in this terminal and redraws it: relays, links, open jobs and their ranks, nodes, events. Elsewhere than on a terminal it"
                + " prints page after page.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Keys: g grid, r ranks of a job, n nodes, e events; left and right for another job; up, down and page keys to scroll; space to hold; q to leave.",
            "",
            "Examples:",
            "  posthouse top",
            "  posthouse top --view ranks --every 0.5",
            "  posthouse top --count 1 --json"
        })
public final class TopCommand implements Callable<Integer> {
    private static final double EVERY_S_MIN = 0.1;
    private static final double EVERY_S_MAX = 3_600;
    private static final int MS_PER_S = 1_000;
    private static final String LAST_PAGE = TopPage.PROBLEM + "what follows is the last page that it gave";

    @Spec
    private CommandSpec command;

    @Mixin
    private ConsoleOptions console;

    @Option(names = "--every", paramLabel = "SECONDS", defaultValue = "2", description = "Time between two pages, 0.1 to 3600 (default: ${DEFAULT-VALUE}).")
    private double everySeconds;

    @Option(names = "--count", paramLabel = "N", description = "Ends after so many pages.")
    private Integer count;

    @Option(names = "--view", paramLabel = "VIEW", defaultValue = "grid", description = "The first view: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private TopView view;

    @Override
    public Integer call() throws CommandFailure {
        if (!(everySeconds >= EVERY_S_MIN && everySeconds <= EVERY_S_MAX)) {
            throw new ParameterException(command.commandLine(), "--every " + everySeconds + " is out of range: expected 0.1 to 3600 seconds");
        }
        if (count != null && count < 1) {
            throw new ParameterException(command.commandLine(), "--count " + count + " is out of range: expected 1 or more");
        }
        ConsoleClient client = console.client();
        TopPage.Answers first = ask(client); // A wrong address is one line, and not a screen that is taken and given back.
        Duration every = Duration.ofMillis(Math.round(everySeconds * MS_PER_S));
        if (!console.json() && StandardStream.OUTPUT.isTerminal() && StandardStream.INPUT.isTerminal()) {
            return onTerminal(client, first, every);
        }
        return inPages(client, first, every);
    }

    private TopPage.Answers ask(ConsoleClient client) throws CommandFailure {
        JsonNode events = JsonNodeFactory.instance.objectNode();
        JsonNode grid = client.json(client.get("/api/v1/grid"));
        if (view == TopView.EVENTS || console.json()) {
            events = client.json(client.get("/api/v1/event-log?limit=" + TopTerminal.LINES_MAX));
        }
        return new TopPage.Answers(grid, events);
    }

    private int inPages(ConsoleClient client, TopPage.Answers first, Duration every) throws CommandFailure {
        TopPage page = new TopPage(ZoneId.systemDefault());
        TopPage.Answers answers = first;
        for (int printed = 1;; printed++) {
            System.out.print(console.json() ? json(answers) : String.join(System.lineSeparator(), page.lines(answers, view, 0)) + System.lineSeparator());
            System.out.flush();
            if (count != null && printed >= count || System.out.checkError()) {
                return 0;
            }
            pause(every);
            answers = ask(client);
        }
    }

    /** The answers in one line. */
    private static String json(TopPage.Answers answers) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.set("grid", answers.grid());
        line.set("events", answers.events().path("events"));
        return line + System.lineSeparator();
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the command's thread", e);
        }
    }

    /** A console that is gone is told on the page, which goes on when it is back. */
    private int onTerminal(ConsoleClient client, TopPage.Answers first, Duration every) throws CommandFailure {
        TopPage page = new TopPage(ZoneId.systemDefault());
        try (TopTerminal terminal = TopTerminal.open(view)) {
            List<String> lines = page.lines(first, view, 0);
            for (int drawn = 1; terminal.showUntilNext(lines, every) && (count == null || drawn < count); drawn++) {
                view = terminal.view();
                if (!terminal.isHeld()) {
                    lines = next(client, page, terminal, lines);
                }
            }
            return terminal.isInterrupted() ? ExitCode.INTERRUPTED.status() : 0;
        } catch (IOException e) {
            throw new CommandFailure("the terminal fails: " + Causes.text(e) + "; posthouse top | cat prints page after page", e);
        }
    }

    private List<String> next(ConsoleClient client, TopPage page, TopTerminal terminal, List<String> last) {
        try {
            return page.lines(ask(client), view, terminal.job());
        } catch (CommandFailure e) {
            return Stream.concat(
                    Stream.of(TopPage.PROBLEM + OneLine.of(e.getMessage()), LAST_PAGE), last.stream().dropWhile(line -> !line.startsWith(TopPage.HEAD)))
                    .toList();
        }
    }
}
