package org.posthouse.launch.provision;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as squeue prints them: {@code [[DAYS-]HOURS:]MINUTES:SECONDS}. */
final class SlurmTime {
    private static final Pattern TIME = Pattern.compile("(?:(?:([0-9]{1,6})-)?([0-9]{1,6}):)?([0-9]{1,6}):([0-9]{1,2})");

    private SlurmTime() {}

    /** Empty for UNLIMITED, INVALID, NOT_SET and anything else that is no time. */
    static Optional<Duration> parse(String text) {
        Matcher time = TIME.matcher(text.strip());
        if (!time.matches()) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofDays(part(time, 1)).plusHours(part(time, 2)).plusMinutes(part(time, 3)).plusSeconds(part(time, 4)));
    }

    private static long part(Matcher time, int group) {
        return time.group(group) == null ? 0 : Long.parseLong(time.group(group));
    }
}
