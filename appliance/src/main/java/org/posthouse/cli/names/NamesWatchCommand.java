package org.posthouse.cli.names;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.wire.NamedRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse names watch}. */
@Command(
        name = "watch",
        description = "Prints what is bound at and below a prefix, and then each change, until Ctrl-C. It goes on when its relay has started again.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse names watch --relay n1:7411 vm/leader", "  posthouse names watch --relay n1:7411 --json"})
final class NamesWatchCommand implements Callable<Integer> {
    private static final long FIRST_PAUSE_MS = 500;
    private static final long LAST_PAUSE_MS = 10_000;

    @Mixin
    private NamesRelay relay;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PREFIX", defaultValue = "", description = "The prefix, as a/b (default: all names).")
    private String prefix;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        try {
            watch(); // A relay that cannot be reached at the start is an error.
        } catch (JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
        long pauseMs = FIRST_PAUSE_MS;
        while (true) {
            TimeUnit.MILLISECONDS.sleep(pauseMs);
            try {
                watch();
                pauseMs = FIRST_PAUSE_MS;
            } catch (JobFailure e) {
                System.err.println("posthouse names watch: " + OneLine.of(e.getMessage()) + "; tried again in " + pauseMs + " ms");
                pauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs);
            }
        }
    }

    /** Until the connection ends. */
    private void watch() throws CommandFailure, JobFailure, InterruptedException {
        CountDownLatch lost = new CountDownLatch(1);
        try (RelayClient client = relay.connect()) {
            client.listenNames(prefix, this::print, why -> {
                System.err.println("posthouse names watch: " + OneLine.of(why));
                lost.countDown();
            });
            lost.await();
        }
    }

    private void print(NamedRecord changed) {
        synchronized (System.out) {
            System.out.println(relay.isJson() ? NameText.json(changed).toString() : (changed.present() ? "bound   " : "unbound ") + NameText.line(changed));
            System.out.flush();
        }
    }
}
