package org.posthouse.launch.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a launcher makes of statuses against what docs/jobs.md says of them. */
final class ExitStatusTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", ""), "..", "..", "docs", "jobs.md");

    @Test
    void accidentsAreTheStatusesOfTheRowThatStartsAgain() throws IOException {
        List<String> rows = Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| was killed by a signal (")).toList();
        assertThat(rows).singleElement().asString().contains("**started again**");
        assertThat(IntStream.range(0, 256).filter(ExitStatus::isAccident).boxed().collect(Collectors.toSet())).isEqualTo(statuses(rows.getFirst()));
    }

    /** Of "(status 129 to 159)" and "(70)". */
    private static Set<Integer> statuses(String row) {
        Set<Integer> all = new TreeSet<>();
        for (MatchResult told : Pattern.compile("\\((?:status )?(\\d+)(?: to (\\d+))?\\)").matcher(row).results().toList()) {
            int first = Integer.parseInt(told.group(1));
            int last = told.group(2) == null ? first : Integer.parseInt(told.group(2));
            IntStream.rangeClosed(first, last).forEach(all::add);
        }
        return all;
    }
}
