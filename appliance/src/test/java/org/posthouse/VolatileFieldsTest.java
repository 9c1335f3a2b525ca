package org.posthouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A volatile says who writes it and who reads it: in the comment on it, or on the volatiles that stand together with it. */
class VolatileFieldsTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
    private static final Pattern FIELD = Pattern.compile("(private |protected |public |static )*volatile .*");
    private static final Pattern COMMENT = Pattern.compile("(/\\*\\*|\\*|//).*");
    private static final Pattern WHO = Pattern.compile(".*[Ww]ritten\\b.+\\bread\\b.*");

    @Test
    void eachVolatileFieldDocumentsItsWriterAndReader() throws IOException {
        List<String> fields = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        for (String room : List.of("appliance", "appliance/core", "appliance/lab", "appliance/launch", "appliance/names", "appliance/raft", "logstore",
                "mpj-lite", "ops", "tunnel",
                "tunnel/testkit")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(room).resolve("src/main/java"))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
                    read(file, fields, silent);
                }
            }
        }
        assertThat(fields).as("volatile fields").hasSizeGreaterThan(50);
        assertThat(silent).as("volatile fields whose comment does not say \"Written by ..., read by ...\"").isEmpty();
    }

    private static void read(Path file, List<String> fields, List<String> silent) throws IOException {
        String comment = "";
        for (String line : Files.readAllLines(file).stream().map(String::strip).toList()) {
            if (COMMENT.matcher(line).matches()) {
                comment += line;
            } else if (FIELD.matcher(line).matches()) {
                fields.add(line);
                if (!WHO.matcher(comment).matches()) {
                    silent.add(file.getFileName() + ": " + line);
                }
            } else {
                comment = "";
            }
        }
    }
}
