package org.posthouse.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.posthouse.demo.Demo;
import org.posthouse.launch.JobFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code posthouse demo}. */
@Command(
        name = "demo",
        description = "Starts two sites on this host, runs the examples over both, and draws what happened.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    @Option(names = "--keep", description = "Leave the relays and the console up until Ctrl-C.")
    private boolean keep;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (Interruption interruption = Interruption.open();
                Demo demo = Demo.start(out)) {
            boolean verified = demo.runJobs(interruption::guard);
            out.println(verified ? "Every job verified." : "Not every job verified.");
            if (keep) {
                out.println("The console is at " + demo.console() + " until you press Ctrl-C.");
                interruption.await();
            }
            return verified ? 0 : Posthouse.STATUS_FAILED;
        } catch (IOException | JobFailure e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }
}
