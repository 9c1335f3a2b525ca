package org.posthouse.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import org.posthouse.causes.Causes;
import org.posthouse.cli.init.GridFolder;
import org.posthouse.cli.init.GridPlan;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HostPort;
import org.posthouse.keys.SiteName;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code posthouse init}: asks four questions and writes what two sites need. */
@Command(
        name = "init",
        description = "Writes keys, launch token, configuration, start scripts and a compose file for two sites. Asks for what no option says.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Two sites on this host, without a question:",
            "  posthouse init --yes",
            "",
            "Site-b's relay dials site-a's at login.example.org:",
            "  posthouse init --yes --links login.example.org:7412 my-grid"
        })
final class InitCommand implements Callable<Integer> {
    /** The authority's folder, and the compose file's job. */
    private static final Set<String> RESERVED = Set.of("grid", "job");

    @Parameters(arity = "0..1", paramLabel = "DIR", defaultValue = "posthouse-grid",
            description = "Where to write; must not exist (default: ${DEFAULT-VALUE}).")
    private Path folder;

    @Option(names = "--first", paramLabel = "SITE", description = "The site whose relay the other one's reaches (default: site-a).")
    private String first;

    @Option(names = "--second", paramLabel = "SITE", description = "The site whose relay dials (default: site-b).")
    private String second;

    @Option(
            names = "--links",
            paramLabel = "HOST:PORT",
            description = "Where the second relay reaches the first (default: 127.0.0.1:7412, both on this host).")
    private String links;

    @Option(names = "--data", paramLabel = "DIR", description = "Where each relay keeps its log (default: data, in its site's folder).")
    private String data;

    @Option(names = "--yes", description = "Take the default where no option says otherwise, and ask nothing.")
    private boolean yes;

    private final BufferedReader answers = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));

    @Override
    public Integer call() throws CommandFailure {
        if (Files.exists(folder)) {
            throw exists();
        }
        String one = value(first, "1. Site whose relay the other one's can reach", "site-a", InitCommand::site);
        String other = value(second, "2. The other site, whose relay dials", one.equals("site-b") ? "site-a" : "site-b", answer -> otherSite(answer, one));
        HostPort address = value(links, "3. Address at which it reaches the relay of " + one + " (loopback: both on this host)", "127.0.0.1:7412",
                InitCommand::address);
        Path log = value(data, "4. Folder for the log of each relay; if relative, in its site's folder", "data", Path::of);
        GridFolder grid = new GridFolder(folder, new GridPlan(one, other, address, log), program());
        write(grid);
        System.out.println("wrote " + folder + ": keys, token, relay.yaml and start script of " + one + " and " + other + ", compose.yaml");
        grid.next().forEach(System.out::println);
        return 0;
    }

    private void write(GridFolder grid) throws CommandFailure {
        try {
            grid.write();
        } catch (FileAlreadyExistsException e) {
            throw exists();
        } catch (IOException e) {
            throw new CommandFailure(folder + " could not be written: " + Causes.text(e), e);
        }
    }

    private CommandFailure exists() {
        return new CommandFailure(folder + " exists already, and init writes over nothing: name another folder, or remove this one");
    }

    /** Reads an answer; its exception's message tells the user what is wrong. */
    private interface Reader<T> {
        T read(String answer);
    }

    /** What the option says; without it the user's answer. A wrong answer is asked for again, a wrong option is not. */
    private <T> T value(String option, String question, String byDefault, Reader<T> reader) throws CommandFailure {
        if (option != null || yes) {
            try {
                return reader.read(option == null ? byDefault : option);
            } catch (IllegalArgumentException | TypeConversionException e) {
                throw new CommandFailure(e.getMessage(), e);
            }
        }
        while (true) {
            String answer = ask(question + " [" + byDefault + "]: ");
            try {
                return reader.read(answer.isEmpty() ? byDefault : answer);
            } catch (IllegalArgumentException | TypeConversionException e) {
                System.err.println("   " + e.getMessage());
            }
        }
    }

    private String ask(String question) throws CommandFailure {
        System.err.print(question);
        System.err.flush();
        try {
            String answer = answers.readLine();
            if (answer == null) {
                System.err.println();
                throw new CommandFailure("the input ended before the answer: --yes takes the defaults, options say the rest; nothing was written");
            }
            return answer.strip();
        } catch (IOException e) {
            throw new CommandFailure("the answer cannot be read: " + Causes.text(e), e);
        }
    }

    private static String site(String answer) {
        if (RESERVED.contains(answer)) {
            throw new IllegalArgumentException("\"" + answer + "\" is the name of another part of the grid's folder: give the site another name");
        }
        return SiteName.require(answer);
    }

    private static String otherSite(String answer, String first) {
        if (answer.equals(first)) {
            throw new IllegalArgumentException("both sites are called \"" + first + "\", expected two names");
        }
        return site(answer);
    }

    /** A port that the system chooses would be another one at each start. */
    private static HostPort address(String answer) {
        HostPort address = new HostPort.Converter().convert(answer);
        if (address.port() == 0) {
            throw new IllegalArgumentException("\"" + answer + "\" has port 0, expected the one that the other site dials");
        }
        return address;
    }

    /** As the user calls it again; a start script may be on another host and looks for itself. */
    private static String program() {
        try {
            return Installation.program().toString();
        } catch (JobFailure e) {
            return "posthouse"; // Started without the script, as tests do: the one on the PATH.
        }
    }
}
