package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.system.jobs.EchoesArguments;

/** What is longer than the system takes on a command line. */
@Timeout(900)
class LongCommandTest {
    /** Their names alone are 190 KB; a word may have 128 KiB. */
    private static final int JARS = 1_700;

    @TempDir
    private Path folder;

    @Test
    void aClassPathOfManyJarsAndArgumentsOfAllKindsReachTheProgram() throws Exception {
        Path lib = Files.createDirectory(folder.resolve("lib of \"many\" jars"));
        Path first = lib.resolve("a".repeat(100) + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(first))) {
            out.putNextEntry(new JarEntry("nothing.txt"));
        }
        for (int jar = 0; jar < JARS; jar++) {
            Files.createLink(lib.resolve("a".repeat(100) + jar + ".jar"), first);
        }
        List<String> hard = List.of("", " ", "a b", "\"quoted\"", "back\\slash\\", "@file", "#no comment", "two\nlines", "\u00e4", "'single'", "*", "$HOME");
        List<String> words = new ArrayList<>(List.of("run", "-n", "1", "-cp", Jobs.classPath() + ":" + lib + "/*", EchoesArguments.class.getName()));
        words.addAll(hard);
        Command.Result many = Command.run(folder, words.toArray(String[]::new));
        words.set(4, Jobs.classPath());
        Command.Result few = Command.run(folder, words.toArray(String[]::new));
        assertThat(many.status()).as(many.err()).isZero();
        assertThat(many.out()).isEqualTo(few.out()).contains("@file");
        try (var left = Files.list(folder)) {
            assertThat(left.filter(file -> file.getFileName().toString().matches("posthouse-\\d+"))).isEmpty();
        }
    }
}
