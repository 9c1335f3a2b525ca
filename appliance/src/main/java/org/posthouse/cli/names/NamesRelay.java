package org.posthouse.cli.names;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.cli.file.TokenFile;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;
import picocli.CommandLine.Option;

/** The relay that a command about names asks, and how what it answers is printed. */
final class NamesRelay {
    /** An election passes over winners that have died, each after 2 s. */
    private static final long ANSWER_SECONDS = TimeUnit.MINUTES.toSeconds(1);

    @Option(
            names = "--relay",
            paramLabel = "HOST:PORT",
            required = true,
            converter = HostPort.Converter.class,
            description = "A running relay (its --listen); any of the grid.")
    private HostPort relay;

    @Option(names = "--token-file", paramLabel = "FILE", description = "The launch token of the relay.")
    private Path tokenFile;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    boolean isJson() {
        return json;
    }

    /** One record, for the screen. */
    void print(NamedRecord found) {
        System.out.println(json ? NameText.json(found).toString() : NameText.line(found));
    }

    RelayClient connect() throws CommandFailure, JobFailure {
        return RelayClient.connect(relay.toString(), TokenFile.read(tokenFile));
    }

    /** The answer, if what was asked for is done. @throws CommandFailure in one line if not */
    NameAnswer ask(NameAsk ask) throws CommandFailure {
        try (RelayClient client = connect()) {
            return ask(client, ask);
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    NameAnswer ask(RelayClient client, NameAsk ask) throws CommandFailure, JobFailure {
        NameAnswer answer = client.names(ask, ANSWER_SECONDS);
        if (answer.status() != NameAnswer.Status.DONE) {
            throw new CommandFailure(refusal(answer));
        }
        return answer;
    }

    /** As {@link #ask}, of what answers with one record if it is done. */
    NamedRecord record(NameAsk ask) throws CommandFailure {
        Optional<NamedRecord> found = ask(ask).found().stream().findFirst();
        return found.orElseThrow(() -> new CommandFailure(ask.name() + " is not bound; posthouse names ls --relay " + relay + " lists what is"));
    }

    private static String refusal(NameAnswer answer) {
        String text = OneLine.of(answer.text());
        return switch (answer.status()) {
            case ALREADY_BOUND, CONFLICT -> text + answer.found().stream().findFirst().map(found -> ": " + NameText.fields(found)).orElse("");
            case UNAVAILABLE -> "names are not available: " + text + (answer.retryMs() > 0 ? "; the relay asks again in " + answer.retryMs() + " ms" : "")
                    + "; whether a change was made is told by posthouse names lookup";
            default -> text;
        };
    }
}
