package org.posthouse.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.option.CommandFailure;

/** Whether a running relay's console is reached, its relays are ready, and its host's clock is this host's. Stateless. */
final class ConsoleCheck {
    /** Beyond this, times of events at two hosts mislead who compares them. */
    private static final long CLOCK_MS_MAX = 2_000;

    private static final double MS = 1_000.0;

    private ConsoleCheck() {}

    /** Asks it. @param console its address */
    static List<Finding> check(String console, ConsoleClient client, Clock clock) {
        try {
            long asked = clock.millis();
            JsonNode relays = client.json(client.get("/api/v1/relays"));
            return judge(console, relays, asked, clock.millis());
        } catch (CommandFailure e) {
            return List.of(Finding.fail("console", e.getMessage(), "posthouse doctor on its host says more; --ops names the console of a relay"));
        }
    }

    /** @param asked when its answer was asked for, and {@code got} when it came, by this host's clock in milliseconds */
    static List<Finding> judge(String console, JsonNode relays, long asked, long got) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode relay : relays.path("relays")) {
            String name = relay.path("relay").asText();
            if (relay.path("ready").asBoolean()) {
                findings.add(Finding.ok("console", console + " answers: relay " + name + " is ready"));
            }
            relay.path("reasons").forEach(reason -> findings.add(
                    Finding.fail("console", console + ": relay " + name + ": " + reason.asText(), "docs/operations.md has what each reason asks for")));
            relay.path("keys").path("warnings").forEach(warning -> findings.add(
                    Finding.warn("keys", console + ": relay " + name + ": " + warning.asText(), "posthouse keys issue writes new keys")));
        }
        long at = relays.path("at").asLong();
        long apart = at < asked ? asked - at : Math.max(0, at - got);
        findings.add(apart <= CLOCK_MS_MAX
                ? Finding.ok("clock", String.format(Locale.ROOT, "that of %s and this host's agree within %.1f s", console, (apart + got - asked) / MS))
                : Finding.warn("clock",
                        String.format(Locale.ROOT, "that of %s is %.1f s %s this host's", console, apart / MS, at < asked ? "behind" : "before"),
                        "let both hosts take their time from one source (NTP): certificates and the times of events depend on it"));
        return findings;
    }
}
