package org.posthouse.names.ldap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LdapConfigTest {
    private static final String REST = "/ou=names,dc=example,dc=org?user=cn=posthouse,dc=example,dc=org&password-file=/etc/password";

    @Test
    void readsAnAddressWithAllOptions() throws Exception {
        LdapConfig config =
                LdapConfig.parse("ldaps://ldap.example.org:1636/ou=our%20names,dc=example,dc=org?user=cn=a%26b+uid=c,dc=org&password-file=/p%20w&ca=/ca.pem"
                        + "&connect-timeout-ms=100&read-timeout-ms=200");
        assertThat(config.url()).isEqualTo("ldaps://ldap.example.org:1636");
        assertThat(config.base()).hasToString("ou=our names,dc=example,dc=org");
        assertThat(config.user()).hasToString("cn=a&b+uid=c,dc=org");
        assertThat(config.passwordFile()).isEqualTo(Path.of("/p w"));
        assertThat(config.ca()).contains(Path.of("/ca.pem"));
        assertThat(config.connectTimeoutMs()).isEqualTo(100);
        assertThat(config.readTimeoutMs()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"ldaps://ldap.example.org, ldaps://ldap.example.org:636", "ldap://localhost, ldap://localhost:389", "ldap://[::1]:3389, ldap://[::1]:3389",
        "LDAP://127.0.0.2, ldap://127.0.0.2:389"})
    void theSchemeGivesThePort(String address, String url) {
        assertThat(LdapConfig.parse(address + REST).url()).isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ldap.example.org", "192.0.2.1", "[2001:db8::1]", "localhost.example.org", "127.0.0.1.example.org", "0.0.0.0"})
    void namesInTheClearStayOnThisHost(String host) {
        assertThatThrownBy(() -> LdapConfig.parse("ldap://" + host + REST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ldap:// to " + host + " would send the password and all names in the clear: use ldaps://" + host
                        + " (ldap:// is for a server on this host)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ldaps://h/ou=a b?user=cn=x&password-file=/p | spaces are written %20",
        "http://h/ou=a?user=cn=x&password-file=/p | is no address of a directory",
        "ldaps:///ou=a?user=cn=x&password-file=/p | is no address of a directory",
        "ldaps://me@h/ou=a?user=cn=x&password-file=/p | is no address of a directory",
        "ldaps://h?user=cn=x&password-file=/p | has no entry for the names",
        "ldaps://h/names?user=cn=x&password-file=/p | base \"names\" is no distinguished name",
        "ldaps://h/ou=a?user=x&password-file=/p | user \"x\" is no distinguished name",
        "ldaps://h/ou=a?password-file=/p | has no user=",
        "ldaps://h/ou=a?user=cn=x | has no password-file=",
        "ldaps://h/ou=a?user=cn=x&password-file= | has no password-file=",
        "ldaps://h/ou=a?user=cn=x&password-file=/p&user=cn=y | user stands twice",
        "ldaps://h/ou=a?user=cn=x&password-file=/p&sub | \"sub\" in the directory's address is unknown",
        "ldaps://h/ou=a?user=cn=x&password-file=/p&read-timeout-ms=0 | read-timeout-ms=0, expected milliseconds from 1 to 60000",
        "ldaps://h/ou=a?user=cn=x&password-file=/p&connect-timeout-ms=5s | connect-timeout-ms=5s, expected milliseconds",
        "ldaps://h:70000/ou=a?user=cn=x&password-file=/p | port 70000"})
    void refusesWhatIsWrongInOneLine(String address, String words) {
        assertThatThrownBy(() -> LdapConfig.parse(address)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words).hasMessageMatching(".*");
    }
}
